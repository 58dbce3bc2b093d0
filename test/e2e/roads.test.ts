import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { homeAssistant, mcpTools, rasaProject, type RoadFiles, roadIntents, watsonSkill } from "../support/roads.js";
import { runPage } from "../support/run-page.js";

/** From the files of four public projects to a decision: nothing converted by hand, at most eight commands. */

const mostCommands = 8;

async function walk(files: RoadFiles, commands: readonly string[]): Promise<string> {
  let printed = "";
  await inTemporaryFolder(async (cwd) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), content);
    }
    const { text, lines } = await runPage(`\`\`\`sh\n${commands.join("\n")}\n\`\`\`\n`, cwd);
    assert.ok(lines.length <= mostCommands, `${lines.length} commands`);
    printed = text;
  });
  return printed;
}

const below = (folder: string, files: RoadFiles): RoadFiles =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

const production = (source: string): readonly string[] => [
  `npx sluice init ${source} --into p --producer ann --approver bo --approver cy`,
  'npx sluice run -C p --release --accept "requests of the earlier bot"',
  "npx sluice approve -C p --approver bo",
  "npx sluice approve -C p --approver cy",
  "npx sluice-serve --bundle p/sluice-workspace/bundle --trust p/sluice-workspace/trust.json --authorizer local --port 8080",
  `npx sluice route -C p --server http://127.0.0.1:8080 --text "please cancel my parcel right now"`,
];

const development = (source: string): readonly string[] => [
  `npx sluice init ${source} --into p --owner platform`,
  "npx sluice run -C p --until calibrate",
  'npx sluice route -C p --text "please cancel my parcel right now"',
];

test("a Rasa bot with 68 intents, stories and tests, of which 5,500 rows are read as well as 900, up to a production server", async () => {
  const bot = (texts: number): RoadFiles => below("bot", rasaProject(roadIntents(68, texts)));
  const large = await walk(bot(80), ["npx sluice init bot --into p --owner platform"]);
  assert.match(large, /read folder, 5,5\d\d rows/);
  const printed = await walk(bot(12), production("bot"));
  assert.match(printed, /workflows 68/);
  assert.match(printed, "Skipped files: data/stories.yml, domain.yml.");
  assert.match(printed, /decision ROUTE cancel_parcel/);
});

test("a Watson workspace with 99 intents", async () => {
  const files = { "skill.json": watsonSkill(roadIntents(99, 8)) };
  const printed = await walk(files, development("skill.json"));
  assert.match(printed, /workflows 99/);
  assert.match(printed, /^claim When Sluice routes/m);
  assert.match(printed, /decision ROUTE cancel_parcel/);
});

test("Home Assistant's sentences and tests of 33 intents", async () => {
  const files = below("intents", homeAssistant(roadIntents(33, 20)));
  const printed = await walk(files, development("intents"));
  assert.match(printed, /workflows 33/);
  assert.match(printed, /test texts are never examples/);
  assert.match(printed, /decision ROUTE cancel_parcel/);
});

test("the 117 tools of an MCP server, which promise nothing", async () => {
  const printed = await walk({ "tools.json": mcpTools(117) }, [
    "npx sluice init tools.json --into p --owner platform",
    "npx sluice run -C p",
    "npx sluice serve -C p --port 8080",
    'npx sluice route -C p --server http://127.0.0.1:8080 --text "please cancel my parcel"',
  ]);
  assert.match(printed, /workflows 117/);
  assert.match(printed, /decision ROUTE cancel_parcel/);
});
