import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commands } from "../../cli/commands.js";
import { runCli } from "../../cli/run-cli.js";
import { packageRoot } from "../support/package-root.js";
import { testWorld } from "./support/test-world.js";

const test = suite("cli/help");

const folder = join(packageRoot, "test", "golden", "help");
const nouns = [...new Set(commands.map(({ name }) => name[0]))];

async function help(...words: readonly string[]): Promise<string> {
  const world = testWorld();
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

test("the help of the program is the golden one", async () => compare("sluice.txt", await help()));

for (const noun of nouns) {
  test(`the help of ${noun} is the golden one`, async () => compare(`${noun}.txt`, await helpOfNoun(noun)));
}

test("no golden file is left over", () => {
  const expected = ["sluice", ...nouns].map((noun) => `${noun}.txt`).sort();
  assert.equal(readdirSync(folder).sort(), expected);
});

test("no line is wider than 100 characters, apart from examples", async () => {
  for (const noun of nouns) {
    const wide = (await helpOfNoun(noun)).split("\n").filter((line) => line.length > 100);
    assert.equal(
      wide.filter((line) => !line.startsWith("  sluice ")),
      [],
    );
  }
});

test.run();
