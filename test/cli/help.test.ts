import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../cli/commands.js";
import { runCli } from "../../cli/run-cli.js";
import { assert, packageRoot, test } from "../support/test.js";
import { testWorld } from "./support/test-world.js";

const folder = join(packageRoot, "test", "golden", "help");
const nouns = [...new Set(commands.map(({ name }) => name[0]))];

async function help(...words: readonly string[]): Promise<string> {
  return helpAt(null, ...words);
}

async function helpAt(columns: number | null, ...words: readonly string[]): Promise<string> {
  const world = testWorld({ columns: { stdout: columns, stderr: null } });
  assert.is(await runCli([...words, "--help"], world), 0);
  assert.is(world.written.stderr, "");
  return world.written.stdout;
}

/** The help of a noun and of each of its verbs. */
async function helpOfNoun(noun: string): Promise<string> {
  const family = commands.filter(({ name }) => name[0] === noun && name.length === 2);
  const texts = [await help(noun)];
  for (const { name } of family) texts.push(await help(...name));
  return texts.join(`${"-".repeat(100)}\n`);
}

function compare(file: string, text: string): void {
  const path = join(folder, file);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, text);
  assert.ok(existsSync(path), `${file} is missing; run with UPDATE_GOLDEN=1 and read the difference`);
  assert.is(text, readFileSync(path, "utf8"), file);
}

test("the help of the program is the golden one", async () => {
  compare("sluice.txt", await help());
  compare("all.txt", await help("help", "all"));
});

test("the first screen has six commands; help all has every one, and help NOUN is its help", async () => {
  const commandsIn = (text: string): readonly string[] =>
    [...text.matchAll(/^ {2}sluice ([a-z-]+)(?: [[<]\S+)?(?: {2}|$)/gm)].map((match) => match[1] ?? "");
  assert.equal(commandsIn(await help()), ["quickstart", "init", "run", "status", "route", "serve"]);
  assert.equal([...commandsIn(await help("help", "all"))].sort(), [...nouns].sort());
  assert.is(await help("help", "catalog"), await help("catalog"));
  assert.is(await help("help", "catalog", "lint"), await help("catalog", "lint"));
});

for (const noun of nouns) {
  test(`the help of ${noun} is the golden one`, async () => compare(`${noun}.txt`, await helpOfNoun(noun)));
}

test("no golden file is left over", () => {
  const expected = ["sluice", "all", ...nouns].map((noun) => `${noun}.txt`).sort();
  assert.equal(readdirSync(folder).sort(), expected);
});

for (const columns of [60, 80, 120, 200]) {
  test(`no line of any help is wider than a terminal of ${columns}, and nothing of it is lost`, async () => {
    const signs = (text: string): string => [...text.replace(/[\s\\]+/g, "")].sort().join("");
    // Every command at the narrowest width; elsewhere the first of each noun, which is laid out in the same way.
    const shown =
      columns === 60 ? commands : nouns.flatMap((noun) => commands.find(({ name }) => name[0] === noun) ?? []);
    for (const name of [[], ["help", "all"], ...shown.map((command) => command.name)]) {
      const text = await helpAt(columns, ...name);
      assert.equal(
        text.split("\n").filter((line) => line.length > columns),
        [],
        name.join(" "),
      );
      if (columns === 60) assert.is(signs(text), signs(await help(...name)), name.join(" "));
    }
  });
}
