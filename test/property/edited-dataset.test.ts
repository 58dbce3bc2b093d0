import fc from "fast-check";
import { datasetOf } from "../../datasets/dataset-bytes.js";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { foldOfRow, type Split } from "../../src/documents/split.js";
import { assert, test } from "../support/test.js";
import { aCatalog, aRequest, aWorkflow } from "../support/score-cases.js";

const workflows = ["low.0", "low.1", "low.2", "low.3"].map((workflowId) => aWorkflow({ workflow_id: workflowId }));
const catalog = aCatalog(workflows);
const words = Array.from({ length: 40 }, (_, i) => `word${i}`);

/** Short texts over few words: many of them are relatives. */
const text = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 6 }).map((own) => own.join(" "));
const label = fc.constantFrom(...workflows.map(({ workflow_id: workflowId }) => workflowId), null);
const row = fc.record({ text, workflow_id: label });
const datasets = fc.uniqueArray(row, { minLength: 30, maxLength: 60, selector: ({ text: own }) => normaliseText(own) });
const edits = fc.oneof(
  fc.record({ kind: fc.constant("delete" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("insert" as const), at: fc.nat(), row }),
  fc.record({ kind: fc.constant("relabel" as const), at: fc.nat(), workflow_id: label }),
);
type Edit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

/** Ids are positions in a file, as an import makes them: an edit renumbers the rows after it. */
const numbered = (rows: readonly Pick<LabelledRequest, "text" | "workflow_id">[]): readonly LabelledRequest[] =>
  rows.map((one, i) => aRequest({ ...one, id: `row-${i}` }));

function edited(rows: readonly LabelledRequest[], edit: Edit): readonly LabelledRequest[] {
  const at = edit.at % rows.length;
  const known = new Set(rows.map((one) => normaliseText(one.text)));
  switch (edit.kind) {
    case "delete":
      return numbered(rows.toSpliced(at, 1));
    case "insert":
      return known.has(normaliseText(edit.row.text)) ? rows : numbered(rows.toSpliced(at, 0, aRequest(edit.row)));
    case "relabel":
      return rows.map((one, i) => (i === at ? aRequest({ ...one, workflow_id: edit.workflow_id }) : one));
  }
}

const foldsByText = (rows: readonly LabelledRequest[], split: Split): ReadonlyMap<string, string | undefined> => {
  const folds = foldOf(split);
  return new Map(rows.map((one) => [normaliseText(one.text), foldOfRow(one, folds)]));
};

test("inserting, deleting or relabelling one row moves no other row", () => {
  fc.assert(
    fc.property(datasets, fc.array(edits, { minLength: 1, maxLength: 4 }), fc.nat(1000), (drawn, changes, seed) => {
      let rows = numbered(drawn);
      let split = splitByWorkflow({ dataset: datasetOf(rows), catalog, seed, by: "request" });
      for (const change of changes) {
        const before = foldsByText(rows, split);
        const next = edited(rows, change);
        const earlier = { sha256: sha256Hex(JSON.stringify(split)), split, rows };
        split = splitByWorkflow({ dataset: datasetOf(next), catalog, seed, by: "request", earlier });
        rows = next;
        for (const [own, fold] of foldsByText(rows, split)) {
          if (before.has(own)) assert.is(fold, before.get(own));
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("without the earlier split, an edit moves relatives of the edited row at most", () => {
  fc.assert(
    fc.property(datasets, fc.nat(), (drawn, at) => {
      const rows = numbered(drawn);
      const split = splitByWorkflow({ dataset: datasetOf(rows), catalog, seed: 1, by: "request" });
      const gone = rows[at % rows.length]?.id ?? "";
      const relatives = new Set(split.families.find((members) => members.includes(gone)) ?? [gone]);
      const left = rows.filter(({ id }) => id !== gone);
      const after = foldOf(splitByWorkflow({ dataset: datasetOf(left), catalog, seed: 1, by: "request" }));
      const before = foldOf(split);
      for (const one of left) if (!relatives.has(one.id)) assert.is(foldOfRow(one, after), foldOfRow(one, before));
    }),
    { numRuns: 100 },
  );
});

test("by workflow, one row fewer moves no workflow", () => {
  fc.assert(
    fc.property(datasets, fc.nat(), fc.nat(1000), (drawn, at, seed) => {
      const rows = numbered(
        drawn.map((one, i) => ({ ...one, workflow_id: one.workflow_id ?? workflows[i % 4]?.workflow_id ?? null })),
      );
      fc.pre(new Set(rows.map(({ workflow_id: workflowId }) => workflowId)).size === 4);
      const split = splitOrNothing(rows, seed);
      fc.pre(split !== undefined);
      if (split === undefined) return;
      const left = rows.filter((_, i) => i !== at % rows.length);
      const earlier = { sha256: sha256Hex("earlier"), split, rows };
      const after = foldOf(splitByWorkflow({ dataset: datasetOf(left), catalog, seed, earlier }));
      for (const [cluster, fold] of foldOf(split)) if (after.has(cluster)) assert.is(after.get(cluster), fold);
    }),
    { numRuns: 30 },
  );
});

/** Copies across workflows can join too many of them. */
function splitOrNothing(rows: readonly LabelledRequest[], seed: number): Split | undefined {
  try {
    return splitByWorkflow({ dataset: datasetOf(rows), catalog, seed });
  } catch {
    return undefined;
  }
}
