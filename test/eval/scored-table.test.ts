import { tableFromIPC } from "@uwdata/flechette";
import * as fc from "fast-check";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { folds } from "../../src/documents/choices.js";
import { assert, test, throws } from "../support/test.js";
import { aCandidate, aRecord } from "../support/score-cases.js";

const records: readonly ScoredRecord[] = [
  aRecord({
    id: "full",
    slices: { b: "2", a: "1" },
    expected_missing: ["order_id"],
    gold_rank: 7,
    candidates: [
      aCandidate({ retrieval_score: 0.1 + 0.2, missing_inputs: ["order_id", "date"] }),
      aCandidate({ workflow_id: "orders.cancel", risk_tier: "critical", eligible: false, input_timeout: true }),
    ],
  }),
  aRecord({
    id: "labelled complete",
    expected_missing: [],
    gold_rank: null,
    negated: "orders.find",
    several: -1.25,
    joined: 4.5,
    languages: ["en", "nl"],
  }),
  aRecord({
    id: "follow-up",
    followUp: { previous: "orders.find" as WorkflowId, joined: false, closing: -2, new_wish: 0.5 },
  }),
  aRecord({ id: "after nothing", followUp: { previous: null, joined: false, closing: 1, new_wish: 0 } }),
  aRecord({ id: "ended early", workflow_id: null, candidates: [], early_reason: "NO_ELIGIBLE_WORKFLOW" }),
  aRecord({ id: "failed", candidates: [], error_code: "MODEL_RUN_FAILED", gold_rank: null }),
];

test("reads back exactly what it wrote", () => {
  assert.equal(readScoredTable(scoredTableBytes(records), "table"), records);
});

test("writes the same bytes for the same records, also after a round trip", () => {
  const bytes = scoredTableBytes(records);
  assert.equal(scoredTableBytes(structuredClone(records)), bytes);
  assert.equal(scoredTableBytes(readScoredTable(bytes, "table")), bytes);
});

test("writes the same bytes whatever the order of the slices", () => {
  const [first] = records;
  const reordered = { ...first, slices: { a: "1", b: "2" } } as ScoredRecord;
  assert.equal(scoredTableBytes([reordered]), scoredTableBytes(records.slice(0, 1)));
});

const read = (values: readonly number[], names: readonly string[] = ["lead", "words"]) =>
  aRecord({
    id: "read",
    candidates: [
      aCandidate({ workflow_id: "orders.competitor", eligible: false, probability: 0.99 }),
      aCandidate({ probability: 0.2 }),
      aCandidate({ workflow_id: "orders.cancel", probability: 0.8, features: { names, values } }),
    ],
  });

test("what the verifier read of the first eligible candidate has a column for each feature, and comes back", () => {
  const kept = [...records, read([0.1, -3].map(Math.fround))];
  const bytes = scoredTableBytes(kept);
  assert.equal(
    tableFromIPC(bytes)
      .schema.fields.map(({ name }) => name)
      .slice(-2),
    ["feature_lead", "feature_words"],
  );
  assert.equal(readScoredTable(bytes, "table"), kept);
  assert.equal(scoredTableBytes(readScoredTable(bytes, "table")), bytes);
});

test("records with features of two verifiers are refused", () => {
  const error = throws(() => scoredTableBytes([read([1, 2]), read([1, 2], ["lead", "rank"])]), "DOCUMENT_INVALID");
  assert.match(error.message, /features of two verifiers/);
});

test("holds an empty run", () => {
  assert.equal(readScoredTable(scoredTableBytes([]), "table"), []);
});

test("preserves every finite float64 and every text", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const candidate = fc.record(
    {
      workflow_id: fc.string(),
      risk_tier: fc.constantFrom(...riskTiers),
      eligible: fc.boolean(),
      retrieval_score: number,
      logits: fc.record({ mismatch: number, needs_input: number, executable: number }, { noNullPrototype: true }),
      missing_inputs: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 3 }),
      input_timeout: fc.boolean(),
    },
    { noNullPrototype: true },
  );
  const record = fc.record({ candidates: fc.array(candidate, { maxLength: 4 }), fold: fc.constantFrom(...folds) });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (parts) => {
      const written = parts.map((part, i) => aRecord({ id: `${i}`, ...part }));
      assert.equal(readScoredTable(scoredTableBytes(written), "table"), written);
    }),
    { seed: 11, numRuns: 100 },
  );
});

test("refuses bytes that are no Arrow file, and an Arrow file of something else", async () => {
  throws(() => readScoredTable(Buffer.from("not arrow at all"), "table"), "DOCUMENT_INVALID");
  const { tableFromArrays, tableToIPC } = await import("@uwdata/flechette");
  const other = tableToIPC(tableFromArrays({ colour: ["red"] }), { format: "file" }) ?? new Uint8Array();
  throws(() => readScoredTable(other, "table"), "DOCUMENT_INVALID");
});

test("refuses a tier that no record has", () => {
  const strange = aRecord({ candidates: [aCandidate({ risk_tier: "extreme" as "low" })] });
  const error = throws(() => readScoredTable(scoredTableBytes([strange]), "table"), "DOCUMENT_INVALID");
  assert.match(error.message, /table: row 0: expected one of low, medium, high, critical/);
});
