import { type Evaluation, evaluationBytes, readEvaluation } from "../../../src/documents/evaluation.js";
import { evaluateRecords } from "../../../eval/metrics/evaluate.js";
import { anEvaluation } from "../../reports/an-evaluation.js";
import { assert, test, throws } from "../../support/test.js";
import { aCalibration, aCandidate, aRecord, digestOf } from "../../support/score-cases.js";

/** An evaluation with every detail, slices included. */
function aDetailedEvaluation(): Evaluation {
  const records = Array.from({ length: 24 }, (_, i) =>
    aRecord({
      id: `${i}`,
      gold_rank: 1 + (i % 3),
      slices: { channel: i % 2 === 0 ? "mail" : "chat" },
      ...(i % 4 === 0 ? { workflow_id: null, candidates: [aCandidate({ probability: 0.4 })] } : {}),
    }),
  );
  const calibration = { sha256: digestOf(5), document: aCalibration() };
  return evaluateRecords({ records, fold: "eval", runSha256: digestOf(4), topK: 10, calibration });
}

const parse = (bytes: Buffer): Record<string, unknown> => JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;

/** Every key of a document, at any depth. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
}

test("an evaluation is written in snake_case, and comes back as it was", () => {
  for (const evaluation of [aDetailedEvaluation(), anEvaluation(), anEvaluation(0)]) {
    const bytes = evaluationBytes(evaluation);
    assert.is(parse(bytes)["schema_version"], 1);
    assert.equal(
      keysOf(parse(bytes)).filter((key) => !/^([a-z0-9_]+|ROUTE|CLARIFY|LLM_REQUIRED)$/.test(key)),
      [],
    );
    assert.equal(readEvaluation(parse(bytes), "evaluation.json"), evaluation);
    assert.equal(parse(bytes), JSON.parse(JSON.stringify(evaluation)));
  }
});

test("a document that is no evaluation is refused by the field that is wrong", () => {
  const wire = parse(evaluationBytes(anEvaluation()));
  const { selective_risk: _, ...lacking } = wire;
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [{ ...wire, schema_version: 2 }, /\/schema_version/],
    [{ ...wire, fold: "test" }, /\/fold/],
    [{ ...wire, strange: 1 }, /unknown field "strange"/],
    [{ ...wire, coverage: { k: 1, n: 2 } }, /\/coverage/],
    [lacking, /selective_risk/],
    [{ ...wire, detail: null }, /\/detail/],
    [{ ...wire, detail: {} }, /\/detail/],
    [null, /evaluation\.json/],
    ["text", /evaluation\.json/],
  ];
  for (const [document, message] of refused) {
    assert.match(throws(() => readEvaluation(document, "evaluation.json"), "DOCUMENT_INVALID").message, message);
  }
});
