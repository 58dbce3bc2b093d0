import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BenchRun } from "./run.js";
import type { BenchHistory } from "./run-benches.js";

/** Keeps the results in one file of JSON lines, one for each run, next to the page made of them. */
export const historyFile = (results: string, page: string): BenchHistory => ({
  read: () => readHistory(results),
  write: (runs, text) => {
    mkdirSync(dirname(results), { recursive: true });
    writeFileSync(results, runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
    writeFileSync(page, text);
  },
});

/** Earlier runs, oldest first; none without the file. */
export function readHistory(results: string): readonly BenchRun[] {
  if (!existsSync(results)) return [];
  const lines = readFileSync(results, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as BenchRun);
}
