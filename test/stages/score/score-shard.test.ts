import { mergeShards } from "../../../eval/merge-shards.js";
import { leftOutParts } from "../../../datasets/left-out.js";
import { examplesOf } from "../../../datasets/families.js";
import type { Catalog } from "../../../src/documents/catalog.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import { rowsOfShard, shardFileName, sizeOfShard } from "../../../eval/shard-file.js";
import { scoredTableBytes } from "../../../eval/scored-table.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { keepingIndexes, withModels } from "../../../stages/score/score-rows.js";
import { openScoringWork } from "../../../stages/score/score-run.js";
import { scoreShardWith } from "../../../stages/score/score-shard.js";
import { scoreWorkWith, withPopulations } from "../../../stages/score/scoring-work.js";
import { openWorkbench } from "../../../stages/open-workbench.js";
import { withHistory } from "../../../store/records/session.js";
import { join } from "node:path";
import { aShardKey } from "../../support/shard-key.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { fitSmallWorkspace } from "../../cli/support/small-workspace.js";

test("shards are of equal size, and together they are all rows", () => {
  const rows = Array.from({ length: 23 }, (_, i) => i);
  for (const shards of [1, 3, 16, 23]) {
    const parts = Array.from({ length: shards }, (_, i) => rowsOfShard(rows, { shard: i + 1, shards }));
    assert.equal(
      parts.flat().sort((a, b) => a - b),
      rows,
    );
    parts.forEach((part, i) => assert.is(part.length, sizeOfShard(rows.length, { shard: i + 1, shards })));
    assert.ok(Math.max(...parts.map((part) => part.length)) - Math.min(...parts.map((part) => part.length)) <= 1);
  }
});

for (const leavesOut of [false, true]) {
  const what = leavesOut ? "catalogs without the relatives of their rows" : "the whole catalog";
  test(`1, 3 and 16 shards over ${what} have the records of one process, to the last bit`, () =>
    inTemporaryFolder(async (cwd) => {
      await fitSmallWorkspace(cwd);
      const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace"), actor: "ann" });
      const whole = await withHistory(workbench, "write", (session) => openScoringWork(session, {}));
      const read = { ...whole, rows: whole.rows.filter((_, i) => i % 5 === 0) };
      const parts = leavesOut
        ? withPopulations(leftOutParts(withTwins(read.rows, read.catalog), read.catalog, { parts: 3 }), read)
        : undefined;
      const work = { ...read, parts };
      assert.is(parts?.length, leavesOut ? 4 : undefined);
      const place = { context: workbench, workers: 2 };
      await withModels({ ...place, models: work.models, rows: work.rows }, async (models) => {
        const open = keepingIndexes(models);
        const single = await scoreWorkWith(open, work, place);
        const digest = sha256Hex(scoredTableBytes(single.records));
        for (const shards of [1, 3, 16]) {
          const files = [];
          for (let shard = shards; shard >= 1; shard -= 1) {
            const { header, bytes } = await scoreShardWith(open, work, {
              ...place,
              key: aShardKey,
              part: { shard, shards },
            });
            files.push({ name: shardFileName(header), bytes });
          }
          const merged = mergeShards(files, aShardKey);
          assert.is(sha256Hex(merged.table), digest, `${shards} shards`);
          assert.equal([merged.model_version, merged.inputs], [single.modelVersion, work.inputs]);
        }
      });
    }));
}

/** Every tenth row with the text of an example of the catalog. */
function withTwins(rows: readonly LabelledRequest[], catalog: Catalog): readonly LabelledRequest[] {
  const examples = examplesOf(catalog);
  return rows.map((row, i) => (i % 10 === 0 ? { ...row, text: examples[i % examples.length]?.text ?? row.text } : row));
}
