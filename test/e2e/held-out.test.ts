/** The benches of held-out workflows and of other writing, run as their users run them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../support/package-root.js";

const test = suite("e2e/held-out");

function bench(name: string, ...args: readonly string[]) {
  const program = join(packageRoot, "dist", "bench", `${name}.js`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  assert.is(status, 0, stderr);
  return { lines: stdout.split("\n"), stderr };
}

const { lines } = bench("held-out", "--only", "service-desk");

test("the shipped checkpoint is compared with both baselines on workflows that it was not fitted on", () => {
  assert.ok(lines.some((line) => line.includes("544 requests of 16 workflows in scope, 120 near and 48 far")));
  const startOf = (line: string) => line.split(" | ")[0];
  const table = lines.filter((line) => line.startsWith("| "));
  assert.equal(table.map(startOf), [
    "| System",
    "| ---",
    "| BM25",
    "| Lexical",
    "| models/default",
    "| models/default - BM25",
    "| models/default - Lexical",
    "| Requests",
    "| ---",
    "| Service desk, EVAL fold: 544 requests, 16 workflows",
  ]);
  const band = /^[+-]\d+\.\d \[[+-]\d+\.\d, [+-]\d+\.\d\]$/;
  for (const line of table.slice(5, 7)) {
    const cells = line.slice(2, -2).split(" | ").slice(1);
    assert.is(cells.length, 8);
    for (const cell of cells) assert.match(cell.replaceAll("**", ""), band);
  }
});

test("the baselines of the documented table are what the bench prints", () => {
  const page = readFileSync(join(packageRoot, "bench/default-checkpoint.md"), "utf8");
  const baselines = lines.filter((line) => /^\| (?:BM25|Lexical) \|/.test(line));
  assert.is(baselines.length, 2);
  for (const line of baselines) assert.ok(page.includes(line), line);
});

test("without data both benches say what they leave out", () => {
  for (const args of [
    ["held-out", "--only", "dialogues"],
    ["robustness", "--only", "clinc150"],
  ] as const) {
    const [name, ...options] = args;
    assert.match(
      bench(name, ...options, "--data", "no-such-folder").stderr,
      "left out: there is no folder no-such-folder",
    );
  }
});

test.run();
