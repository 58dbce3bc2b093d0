/** Evaluation files of every version. The one of version 1 is of the shipped example, as a bundle holds it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeEvaluation } from "../../eval/describe-evaluation.js";
import { evaluationBytes, evaluationWire, readEvaluation } from "../../eval/evaluation-document.js";
import { anEvaluation } from "../reports/an-evaluation.js";
import { packageRoot } from "../support/package-root.js";
import { throws } from "../support/rejects.js";

const test = suite("eval/evaluation-document");

interface Version1 {
  readonly schemaVersion: number;
  readonly selectiveRisk: { readonly k: number };
  readonly detail: { readonly slices: readonly { readonly verifiedTop1: unknown }[] };
}
const version1 = (): Version1 =>
  JSON.parse(readFileSync(join(packageRoot, "test", "golden", "evaluation-1.json"), "utf8")) as Version1;
const parse = (bytes: Buffer): Record<string, unknown> => JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;

/** Every key of a document, at any depth. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
}

test("a file of version 1 keeps every number", () => {
  const { schemaVersion, ...numbers } = version1();
  const { schemaVersion: now, ...read } = readEvaluation(version1(), "evaluation.json");
  assert.equal([schemaVersion, now], [1, 2]);
  assert.equal(read, numbers);
  assert.ok(describeEvaluation(readEvaluation(version1(), "evaluation.json"), { all: true }).length > 100);
});

test("an evaluation is written as version 2, in snake_case, and comes back as it was", () => {
  for (const evaluation of [readEvaluation(version1(), "evaluation.json"), anEvaluation(), anEvaluation(0)]) {
    const bytes = evaluationBytes(evaluation);
    assert.is(parse(bytes)["schema_version"], 2);
    assert.equal(
      keysOf(parse(bytes)).filter((key) => !/^([a-z0-9_]+|ROUTE|CLARIFY|LLM_REQUIRED)$/.test(key)),
      [],
    );
    assert.equal(readEvaluation(parse(bytes), "evaluation.json"), evaluation);
    assert.equal(parse(bytes), JSON.parse(JSON.stringify(evaluationWire(evaluation))));
  }
});

test("a document that is no evaluation is refused by the field that is wrong", () => {
  const wire = parse(evaluationBytes(anEvaluation()));
  const { selectiveRisk: _, ...lacking } = version1();
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [{ ...wire, schema_version: 3 }, /\/schema_version/],
    [{ ...wire, fold: "test" }, /\/fold/],
    [{ ...wire, strange: 1 }, /unknown field "strange"/],
    [{ ...wire, coverage: { k: 1, n: 2 } }, /\/coverage/],
    [lacking, /selective_risk/],
    [{ ...version1(), detail: null }, /schema_version/],
    [{ ...version1(), detail: {} }, /\/detail/],
    [{ ...version1(), strangeField: 1 }, /unknown field "strange_field"/],
    [null, /evaluation\.json/],
    ["text", /evaluation\.json/],
  ];
  for (const [document, message] of refused) {
    assert.match(throws(() => readEvaluation(document, "evaluation.json"), "SCHEMA_INVALID").message, message);
  }
});

test.run();
