/**
 * Checks that no acknowledged entry is lost. A process that appends to a history is killed with SIGKILL at a random
 * point, 200 times. After each kill the whole history is verified, and every entry whose append had returned must be
 * present.
 *
 *   npm run build && node dist/bench/history-kill.js [--rounds 200] [--seed 1]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { killWriter } from "../test/support/history-kill.js";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const rounds = Number(values.rounds);
const mostAppends = 60;
const random = seededRandom(Number(values.seed));
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "sluice-kill-"));
const path = join(folder, "history.db");
let [acknowledged, lost, entries] = [0, 0, 0];
try {
  for (let round = 1; round <= rounds; round += 1) {
    const found = await killWriter(path, `round ${round}`, random.integer(0, mostAppends));
    acknowledged += found.acknowledged;
    lost += found.lost;
    entries = found.entries;
    if (round % 20 === 0)
      print(`${round} kills: ${acknowledged} acknowledged, ${lost} lost, ${entries} entries verified`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = lost === 0 ? 0 : 1;
