/**
 * Checks that a run over a queue equals the run of a single process, even if processes are killed. Workers are killed
 * and replaced at random; Redis is killed and restarted, alternately with and without its append-only file.
 *
 *   npm run build && node dist/bench/queue-chaos.js [--rounds 20] [--seed 1]   (needs redis-server)
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { fitSmallWorkspace, scoreSmallWorkspace } from "../test/cli/support/small-workspace.js";
import { chaosRound } from "../test/support/queue-chaos.js";
import { withRedis } from "../test/support/redis-server.js";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "20" }, seed: { type: "string", default: "1" } },
});
const random = seededRandom(Number(values.seed));
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "sluice-chaos-"));
const totals = { same: 0, named: 0, kills: 0, restarts: 0 };
try {
  const made = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  const single = await scoreSmallWorkspace(made("single"));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const appendOnly = round % 2 === 1;
    const [workers, shards] = [random.integer(1, 4), random.integer(10, 60)];
    const scratch = made(`round-${round}`);
    const project = join(scratch, "project");
    mkdirSync(project);
    await fitSmallWorkspace(project);
    const started = performance.now();
    const found = await withRedis(
      scratch,
      (redis) =>
        chaosRound({
          redis,
          workspace: join(project, "sluice-workspace"),
          scratch,
          workers,
          shards,
          random: () => random.uniform(),
        }),
      { appendOnly },
    );
    if (found.run === single) totals.same += 1;
    else if (found.run === null && found.failed.length > 0) totals.named += 1;
    else throw new Error(`round ${round}: run ${found.run ?? "none"}, expected ${single}`);
    totals.kills += found.kills;
    totals.restarts += found.restarts;
    const what = found.run === null ? `missing: shards ${found.failed.join(", ")}` : "the same run";
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    print(
      `${round}: ${workers} workers, ${shards} shards, append-only file ${appendOnly ? "yes" : "no"}, ` +
        `${found.kills} kills, ${found.restarts} restarts of Redis: ${what} (${seconds} s)`,
    );
    rmSync(scratch, { recursive: true, force: true });
  }
  print(
    `${totals.same} rounds gave the same run, ${totals.named} named their missing shards; ${totals.kills} kills, ${totals.restarts} restarts`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
