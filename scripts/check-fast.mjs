// `npm run check:fast`: types, format and lint of what changed against a revision (default: main), and the tests that mirror
// the changed files. For the minute before a commit; `npm run check` is the whole check.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const base = process.argv[2] ?? "main";

function run(file, args, stdio = "inherit") {
  const { status, stdout } = spawnSync(file, args, { cwd: root, stdio, encoding: "utf8" });
  if (status !== 0) process.exit(status ?? 1);
  return stdout ?? "";
}

const lines = (text) => text.split("\n").filter((line) => line !== "");
const git = (...args) => lines(run("git", args, "pipe"));
const since = git("merge-base", base, "HEAD")[0] ?? "HEAD";
const changed = [
  ...git("diff", "--name-only", "--diff-filter=d", since),
  ...git("ls-files", "--others", "--exclude-standard"),
].filter((file) => existsSync(`${root}/${file}`));
const sources = changed.filter((file) => file.endsWith(".ts"));

run(process.execPath, ["node_modules/typescript-native/bin/tsc", "-b"]);
if (changed.length > 0) {
  run(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "--no-errors-on-unmatched", ...changed]);
}
if (sources.length > 0) run(process.execPath, ["node_modules/oxlint/bin/oxlint", "--deny-warnings", ...sources]);

/** Test files that changed, or that mirror a changed source. */
const tests = sources
  .map((file) => (file.startsWith("test/") ? file : `test/${file}`).replace(/(\.test)?\.ts$/, ".test.ts"))
  .filter((file) => existsSync(`${root}/${file}`));
const filters = [...new Set(tests.map((file) => file.replace(/^test\//, "").replace(/\.ts$/, ".js")))];
if (filters.length === 0) process.stdout.write("no test mirrors what changed\n");
else run(process.execPath, ["scripts/test.mjs", ...filters]);
