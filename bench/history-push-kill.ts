/**
 * Checks that a push loses nothing if it is killed at random points.
 *
 *   npm run build && node dist/bench/history-push-kill.js [--kills 20] [--seed 7]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pushWithKills } from "../test/support/push-kills.js";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "20" }, seed: { type: "string", default: "7" } },
});
const folder = mkdtempSync(join(tmpdir(), "sluice-push-"));
try {
  const entries = 15 * Number(values.kills);
  const there = await pushWithKills(folder, { kills: Number(values.kills), entries, seed: Number(values.seed) });
  process.stdout.write(`${values.kills} kills, ${there} of ${entries} entries there after them, nothing lost\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
