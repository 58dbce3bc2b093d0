import { canonicalBytes } from "../src/digest/canonical-json.js";
import { toCamel, toSnake } from "../src/domain/camel.js";
import { checkSchema } from "../src/domain/check-schema.js";
import type { Evaluation } from "../src/domain/evaluation.js";
import { type EvaluationWire, EvaluationSchema } from "./evaluation-schema.js";

/**
 * An evaluation as stored and printed: snake_case keys; names of decisions are unchanged. Slices of an
 * evaluation are a list of results, not the opaque slices of a request.
 */
export function evaluationWire({ decisions, detail, ...rest }: Evaluation): EvaluationWire {
  const numbers = toSnake<Omit<EvaluationWire, "decisions" | "detail">>(rest);
  if (detail === undefined) return { ...numbers, decisions };
  const { slices, ...details } = detail;
  type Detail = NonNullable<EvaluationWire["detail"]>;
  return {
    ...numbers,
    decisions,
    detail: {
      ...toSnake<Omit<Detail, "slices">>(details),
      slices: toSnake<Detail["slices"]>(slices),
    },
  };
}

/** Canonical bytes of an evaluation; equal evaluations give equal bytes. */
export const evaluationBytes = (evaluation: Evaluation): Buffer => canonicalBytes(evaluationWire(evaluation));

/**
 * Reads an evaluation document.
 * @param what  how the reader knows the document, e.g. a file path
 * @throws {SluiceError} SCHEMA_INVALID
 */
export function readEvaluation(document: unknown, what: string): Evaluation {
  const { decisions, detail, ...rest } = checkSchema(EvaluationSchema, document, what);
  const numbers = { ...toCamel(rest), decisions };
  if (detail === undefined) return numbers;
  const { slices, ...details } = detail;
  return { ...numbers, detail: { ...toCamel(details), slices: toCamel(slices) } };
}
