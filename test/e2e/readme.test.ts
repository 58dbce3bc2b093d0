import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, packageRoot, pluck, shared, testWith, testWithShared } from "../support/test.js";
import { writeBenchmark } from "../../bench/datasets/write-benchmark.js";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, docPage, wordsOf } from "../support/doc-page.js";

interface Folder {
  folder: string;
  readme: string;
  /** docs/how-to/step-by-step.md */
  steps: string;
}

const test = testWith<Folder>();
const environment = { SLUICE_PASSPHRASE: "for this test only" };

test.before(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), "sluice-readme-"));
  context.readme = await readFile(join(packageRoot, "README.md"), "utf8");
  context.steps = await readFile(join(packageRoot, "docs/how-to/step-by-step.md"), "utf8");
  await symlink(join(packageRoot, "models"), join(context.folder, "models"));
  await writeFewerRequests(context.folder);
});

test.after(({ folder }) => rm(folder, { recursive: true, force: true }));

/** The shipped dataset with every eighth request, which is less of the time. */
async function writeFewerRequests(folder: string): Promise<void> {
  const desk = join("datasets", "service-desk");
  await cp(join(packageRoot, desk), join(folder, desk), { recursive: true });
  const file = join(folder, desk, "requests.jsonl");
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  await writeFile(file, `${lines.filter((_, place) => place % 8 === 0).join("\n")}\n`);
}

const shellLines = (page: string): readonly string[] =>
  codeBlocks(page, "sh").flatMap((block) => block.trim().split("\n"));

async function runLine(folder: string, line: string): Promise<void> {
  const [, , ...args] = wordsOf(line);
  const { code, stderr } = await sluice(args, { cwd: folder, env: environment });
  assert.is(code, 0, `${line}: ${stderr}`);
}

test("every shell line of the README is one that a test runs", async ({ readme }) => {
  const lines = shellLines(readme);
  assert.ok(lines.length > 3);
  for (const line of lines) assert.match(line, /^(npm start|npm run test:all|npx sluice |npx sluice-serve )/);
  const { scripts } = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  assert.match(scripts["start"] ?? "", /quickstart$/);
  assert.match(scripts["test:all"] ?? "", / --all$/);
});

test("the README is short, and its picture can be loaded", async ({ readme }) => {
  assert.ok(readme.trimEnd().split("\n").length < 110);
  const [, picture = ""] = /!\[[^\]]+\]\((docs\/figures\/[a-z-]+\.svg)\)/.exec(readme) ?? [];
  assert.match(await readFile(join(packageRoot, picture), "utf8"), /^<svg /);
});

test("the three commands of the README are those of the data scientist's tutorial", ({ readme }) => {
  const commands = shellLines(readme).filter((line) => line.startsWith("npx sluice "));
  assert.is(commands.length, 3);
  const tutorial = shellLines(docPage("tutorials/data-scientist.md"));
  for (const line of commands) {
    const same = line.replace("my-router", "shop");
    assert.ok(
      tutorial.some((other) => other.replace(/ --explain$/, "") === same),
      line,
    );
  }
});

test("the job step by step ends with a calibration and a trust policy", async ({ folder, steps }) => {
  const lines = shellLines(steps).filter((line) => line.startsWith("npx sluice "));
  assert.ok(lines.length > 10);
  // e2e/quickstart scores the same requests with the default models, which takes a minute.
  for (const line of lines) await runLine(folder, line.replaceAll("models/default", "models/fast"));
  const trust = JSON.parse(await readFile(join(folder, "sluice-workspace", "trust.json"), "utf8")) as {
    readonly roles: { readonly approver: readonly { readonly threshold: number }[] };
  };
  assert.equal(pluck(trust.roles.approver, "threshold"), [2]);
});

/** Every tenth text of each list and label of CLINC150: all workflows, and a tenth of the time. */
async function everyTenth(file: string): Promise<string> {
  const lists = JSON.parse(await readFile(file, "utf8")) as Readonly<Record<string, readonly (readonly string[])[]>>;
  const tenth = Object.entries(lists).map(([name, rows]) => {
    const seen = new Map<string, number>();
    const kept = rows.filter(([, label = ""]) => {
      const before = seen.get(label) ?? 0;
      seen.set(label, before + 1);
      return before % 10 === 0;
    });
    return [name, kept] as const;
  });
  return JSON.stringify(Object.fromEntries(tenth));
}

/** Gives every workflow of a catalog an owner, which production requires. */
async function setOwner(file: string): Promise<void> {
  const catalog = JSON.parse(await readFile(file, "utf8")) as { readonly workflows: readonly object[] };
  const workflows = catalog.workflows.map((workflow) => ({ ...workflow, owner: "assistant" }));
  await writeFile(file, JSON.stringify({ ...catalog, workflows }));
}

/** From a calibration to a bundle with its records, which hold no text although some workflow ids are texts. */
async function release(folder: string, workspace: string): Promise<void> {
  const people = ["ada", "ben", "cleo"];
  const keys = people.map((name) => `--principal ${name}=${workspace}/keys/${name}.pub.pem`).join(" ");
  const lines = [
    'dataset audit --accept "published as it is" --actor ada',
    ...people.map((name) => `key create ${name}`),
    `trust create ${keys} --producer ada --approver ben --approver cleo --expires 365d`,
    "manifest create --producer ada --key ada",
    "approve --approver ben --key ben --yes",
    "approve --approver cleo --key cleo --yes",
    "bundle export --with-records",
  ];
  for (const line of lines) await runLine(folder, `npx sluice ${line} --workspace ${workspace}`);
}

testWithShared(
  test,
  "CLINC150 is imported whole, and a tenth of its texts goes to a bundle that reproduces its claim alone",
  async ({ folder }) => {
    const whole = shared("data", "clinc150", "raw", "data_full.json");
    await writeFile(join(folder, "tenth.json"), await everyTenth(whole));
    const imported = "dataset import clinc150-data/requests.jsonl --format jsonl --catalog clinc150-data/catalog.json";
    const job = ["dataset split", "eval run", "calibrate fit --target 0.1"];
    await mkdir(join(folder, "clinc150-data"));
    for (const [file, lines] of [
      [whole, [imported]],
      [join(folder, "tenth.json"), [imported, ...job]],
    ] as const) {
      await writeBenchmark("clinc150", file, join(folder, "clinc150-data"));
      await setOwner(join(folder, "clinc150-data", "catalog.json"));
      for (const line of lines) await runLine(folder, `npx sluice ${line} --workspace clinc150`);
    }
    await release(folder, "clinc150");
    const { code, stdout, stderr } = await sluice(["reproduce", "clinc150/bundle"], { cwd: folder });
    assert.is(code, 0, stderr);
    assert.match(stdout, "equal: the inputs reproduce the signed claim");
  },
);
