/**
 * Measures appending to, verifying and checkpointing a history of 100,000 entries of 1.5 kB.
 *
 *   npm run build && node dist/bench/history-scale.js [--entries 100000]   (half a minute)
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type History, openHistory } from "../store/history/open.js";
import { proveConsistency } from "../store/history/prove.js";
import { treeHead } from "../store/history/tree.js";
import { verifyHistory } from "../store/history/verify.js";
import { verifyConsistency } from "../store/history/verify-proofs.js";
import { appendRecord } from "../store/history/write.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";

const { values } = parseArgs({ options: { entries: { type: "string", default: "100000" } } });
const entries = Number(values.entries);
const recordBytes = 1500;
const proofs = 2000;
const random = seededRandom(1);
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const append = (history: History, index: number): unknown =>
  appendRecord(history, {
    kind: "run",
    actor: "bench",
    at: "2026-03-01T12:00:00Z",
    record: Buffer.from(`${index} `.padEnd(recordBytes, "x")),
  });

/** Duration of each call in milliseconds. */
function times(count: number, work: (index: number) => void): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const start = performance.now();
    work(index);
    return performance.now() - start;
  });
}

function show(what: string, taken: readonly number[]): void {
  const sorted = [...taken].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(3);
  print(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
}

const folder = mkdtempSync(join(tmpdir(), "sluice-scale-"));
const path = join(folder, "history.db");
try {
  const history = openHistory(path, { create: true });
  // A single transaction fills the history faster. The single appends afterwards are like those of a command.
  history.database.exec("BEGIN IMMEDIATE");
  const filled = times(entries - 200, (index) => append(history, index));
  history.database.exec("COMMIT");
  print(`filled with ${filled.length} entries in ${(filled.reduce((a, b) => a + b, 0) / 1000).toFixed(1)} s`);
  show(
    "append, one transaction each",
    times(200, (index) => append(history, entries - 200 + index)),
  );
  history.database.pragma("wal_checkpoint(TRUNCATE)");
  print(`file: ${(statSync(path).size / 2 ** 20).toFixed(0)} MiB`);
  show(
    "verify",
    times(3, () => verifyHistory(history)),
  );
  const head = treeHead(history, entries);
  const grow = (): boolean => {
    const from = random.integer(1, entries);
    return verifyConsistency(proveConsistency(history, from, entries), treeHead(history, from), head);
  };
  show("consistency proof and its check", times(proofs, grow));
  print(`peak resident memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`);
  history.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
