import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BenchRun } from "./run.js";
import type { BenchHistory } from "./run-benches.js";

/** Stores the results in a JSON Lines file, one line per run, and writes the page. */
export const historyFile = (results: string, page: string): BenchHistory => ({
  read: () => readHistory(results),
  write: (runs, text) => {
    mkdirSync(dirname(results), { recursive: true });
    writeFileSync(results, runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
    writeFileSync(page, text);
  },
});

/** Earlier runs, oldest first; empty if the file does not exist. */
export function readHistory(results: string): readonly BenchRun[] {
  if (!existsSync(results)) return [];
  const lines = readFileSync(results, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as BenchRun);
}
