import { readFileSync } from "node:fs";
import { join } from "node:path";
import { helpText } from "../../serve/arguments.js";
import type { Command } from "../../cli/command.js";
import { parseCommandLine } from "../../cli/command-line.js";
import { commands } from "../../cli/commands.js";
import { globalOptions } from "../../cli/global-options.js";
import { productFolders } from "../architecture/layers.js";
import { assert, packageRoot, test } from "../support/test.js";
import { bareFlagsIn, codeTexts, commandLinesIn, sourceFiles } from "../support/hint-commands.js";
import { reachedFrom } from "../support/import-graph.js";

/** Every command and flag that a message names exists, so that what it says can be typed. */

const files = sourceFiles(productFolders);
const texts = files.flatMap(codeTexts);

/** What is wrong with a command line that a text names; null when it parses. */
async function fault(words: readonly string[]): Promise<string | null> {
  if (words.length === 0 || words[0]?.startsWith("<") === true || words[0] === "VALUE") return null;
  const command = commands.find(({ name }) => name.every((part, index) => words[index] === part));
  if (command === undefined) return words.some((word) => /^(--)?help$/.test(word)) ? null : "no such command";
  const given = words.slice(command.name.length);
  if (given.length === 0 || given.includes("--help")) return null;
  const flags = given.filter((word) => word.startsWith("--")).map((word) => word.slice(2).replace(/=.*/, ""));
  const absent = Object.entries(command.options).filter(
    ([name, o]) => o.presence === "required" && !flags.includes(name),
  );
  if (absent.length > 0) return `lacks --${absent[0]?.[0]}`;
  // A value without a flag before it may be a list of words, which may be empty.
  const certain = words.filter((word, at) => word !== "VALUE" || words[at - 1]?.startsWith("--") === true);
  try {
    const help = { version: "0", columns: 100 };
    await parseCommandLine(words, {}, commands, help).catch(() => parseCommandLine(certain, {}, commands, help));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test("every command line in a text of the code is one that the command line accepts", async () => {
  const faults: string[] = [];
  let checked = 0;
  for (const { file, text } of texts) {
    for (const words of commandLinesIn(text)) {
      checked += 1;
      const found = await fault(words);
      if (found !== null) faults.push(`${file}: sluice ${words.join(" ")}: ${found}`);
    }
  }
  assert.equal(faults, []);
  assert.ok(checked > 140, `${checked}`);
});

test("a hint or warning names a command as a part of its own, so that each caller is shown its own", () => {
  const inSentences = texts
    .filter(({ text, isHint, isCommand }) => isHint && !isCommand && /(?<![\w/.-])sluice(?:-serve)? [a-z-]/.test(text))
    .map(({ file, text }) => `${file}: ${text}`);
  assert.equal(inSentences, []);
});

const flagsOf = (command: Command): readonly string[] => [
  ...Object.keys(command.options),
  ...Object.keys(globalOptions),
  "help",
];

/** The commands whose code reaches each file. */
function commandsByFile(): ReadonlyMap<string, readonly Command[]> {
  const found = new Map<string, Command[]>();
  const works = [...read("cli/commands.ts").matchAll(/import\("\.\/(?<file>[^"]+)\.js"\)/g)];
  assert.is(works.length, commands.length);
  for (const [index, command] of commands.entries()) {
    const own = `cli/${works[index]?.groups?.["file"]}.ts`;
    // Compiled, because the type of its options leads to those of its neighbours.
    for (const file of reachedFrom(own, true)) found.set(file, [...(found.get(file) ?? []), command]);
  }
  return found;
}

const read = (file: string): string => readFileSync(join(packageRoot, file), "utf8");

test("a flag that a hint names alone exists in a command that can print the hint", () => {
  const reaching = commandsByFile();
  const ofServer = new Set([...helpText.matchAll(/--([a-z][a-z-]*)/g)].map(([, flag]) => flag));
  const faults = texts
    .filter(({ isHint }) => isHint)
    .flatMap(({ file, text }) =>
      bareFlagsIn(text).flatMap((flag) => {
        if (file.startsWith("serve/")) return ofServer.has(flag) ? [] : [`${file}: sluice-serve has no --${flag}`];
        const able = reaching.get(file) ?? [];
        // A file of a stage serves the commands of its noun, of which one prints the hint.
        if (able.length === 0 || able.some((command) => flagsOf(command).includes(flag))) return [];
        return [`${file}: --${flag} is no flag of ${able.map(({ name }) => name.join(" ")).join(", ")}`];
      }),
    );
  assert.equal(faults, []);
});
