/**
 * Measures the overhead of a shard in milliseconds: 640 requests as 1 and as 64 shards, alternately, with loaded
 * models.
 *
 *   npm run build && node dist/bench/shard-overhead.js [--rounds 5]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fitSmallWorkspace } from "../test/cli/support/small-workspace.js";
import { keepingIndexes, withModels } from "../stages/score/score-rows.js";
import { openScoringWork } from "../stages/score/score-run.js";
import { scoreShardWith } from "../stages/score/score-shard.js";
import { aShardKey } from "../test/support/shard-key.js";
import { openWorkbench } from "../stages/open-workbench.js";
import { withHistory } from "../store/records/session.js";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const many = 64;
const folder = mkdtempSync(join(tmpdir(), "sluice-shards-"));
try {
  await fitSmallWorkspace(folder);
  const workbench = await openWorkbench({ folder: join(folder, "sluice-workspace") });
  const work = await withHistory(workbench, "write", (session) => openScoringWork(session, {}));
  const place = { context: workbench, workers: 2 };
  const least = await withModels({ ...place, models: work.models, rows: work.rows }, async (models) => {
    const open = keepingIndexes(models);
    const timed = async (shards: number): Promise<number> => {
      const started = performance.now();
      for (let shard = 1; shard <= shards; shard += 1) {
        await scoreShardWith(open, work, { ...place, key: aShardKey, part: { shard, shards } });
      }
      return performance.now() - started;
    };
    await timed(1);
    let [one, parts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      one = Math.min(one, await timed(1));
      parts = Math.min(parts, await timed(many));
    }
    return { one, parts };
  });
  const each = (least.parts - least.one) / (many - 1);
  process.stdout.write(
    `1 shard ${least.one.toFixed(0)} ms, ${many} shards ${least.parts.toFixed(0)} ms: ${each.toFixed(1)} ms a shard\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
