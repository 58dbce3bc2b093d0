import { toSnake } from "../src/domain/camel.js";
import type { Evaluation } from "../src/domain/evaluation.js";

/**
 * An evaluation as commands print it: snake_case keys, while the names of decisions stay as they are. Slices of an
 * evaluation are a list of results, not the opaque slices of a request.
 */
export function evaluationJson({ decisions, detail, ...evaluation }: Evaluation): unknown {
  if (detail === undefined) return { ...toSnake<object>(evaluation), decisions };
  const { slices, ...numbers } = detail;
  return {
    ...toSnake<object>(evaluation),
    decisions,
    detail: { ...toSnake<object>(numbers), slices: slices.map((slice) => toSnake<object>(slice)) },
  };
}
