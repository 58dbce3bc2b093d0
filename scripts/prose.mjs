// The prose check: spelling (cspell with the words of scripts/prose-words.txt) and wordings (scripts/prose-rules.mjs) of pages,
// comments, messages, help and test names. With files as arguments, only those are read.
import { readdirSync, readFileSync } from "node:fs";
import { join, parse, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lint } from "cspell";
import { proseFaults } from "./prose-rules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const skipped = new Set([
  "node_modules",
  "dist",
  "coverage",
  ".git",
  "shared",
  "fixtures",
  "golden",
  "runner-fixtures",
]);
const read = /\.(?:md|ts|mjs|sh|ya?ml)$/u;
/** Exempt: the rules quote what they refuse, and sample requests are written the way people write them. */
const notOurs = new Set([
  "scripts/prose-rules.mjs",
  "datasets/service-desk/catalog.yaml",
  "train/exports/probe-texts.ts",
]);

function proseFiles(folder = root) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (skipped.has(entry.name) || entry.name.endsWith("-workspace")) return [];
    if (entry.isDirectory()) return proseFiles(path);
    return read.test(entry.name) ? [path] : [];
  });
}

/** Words that no dictionary contains in the files below a folder, as `file:line: "word" is misspelt or unknown`. */
async function spellingFaults(files, below) {
  const faults = [];
  const show = (uri) => relative(root, uri.startsWith("file:") ? fileURLToPath(uri) : uri);
  const { files: checked } = await lint(
    files,
    { root: below, config: join(root, "cspell.json"), progress: false, summary: false, gitignore: false },
    {
      issue: ({ uri, row, text }) =>
        faults.push(`${show(uri)}:${row}: "${text}" is misspelt, or missing in scripts/prose-words.txt`),
      error: (message, error) => faults.push(`${message} ${error.message}`),
    },
  );
  if (checked === 0) faults.push("the spelling checker read no file");
  return faults;
}

function wordingFaults(file) {
  const path = relative(root, file);
  if (notOurs.has(path)) return [];
  return proseFaults(readFileSync(file, "utf8")).map(
    ({ line, found, instead }) => `${path}:${line}: "${found}": write ${instead}`,
  );
}

const named = process.argv.slice(2).map((file) => resolve(file));
const files = named.length > 0 ? named : proseFiles();
const below = named.length > 0 ? parse(root).root : root;
const faults = [...files.flatMap(wordingFaults), ...(await spellingFaults(files, below))];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${files.length} files read, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
