import type { ScoredCandidate } from "../../documents/decision.js";
import { type Activation, type VerifierColumn, verifierLabels } from "../../documents/choices.js";
import { SluiceError } from "../../base/error.js";

export type Logits = ScoredCandidate["logits"];

/** Logits of the three labels from a model's outputs for one pair. @param column  output of a column by name */
type Reading = (column: (name: VerifierColumn) => number) => Logits;

/** Columns that belong together, in any order, and how they are read. */
interface ColumnSet {
  readonly columns: readonly VerifierColumn[];
  readonly read: Reading;
}

/**
 * Logits of a model that says how well a contract fits, but not whether inputs are missing: half of the probability of a
 * match goes to each matching label, so that both together are the match.
 */
const matchOrNot = (match: number, mismatch: number): Logits => ({
  mismatch,
  needs_input: match - Math.LN2,
  executable: match - Math.LN2,
});

/** log(exp(a) + exp(b)) without overflow. */
const logSumExp = (a: number, b: number): number => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

const columnSets: readonly ColumnSet[] = [
  {
    columns: verifierLabels,
    read: (column) => ({
      mismatch: column("mismatch"),
      needs_input: column("needs_input"),
      executable: column("executable"),
    }),
  },
  {
    columns: ["entailment", "neutral", "contradiction"],
    read: (column) => matchOrNot(column("entailment"), logSumExp(column("neutral"), column("contradiction"))),
  },
  {
    columns: ["entailment", "not_entailment"],
    read: (column) => matchOrNot(column("entailment"), column("not_entailment")),
  },
  { columns: ["relevance"], read: (column) => matchOrNot(column("relevance"), 0) },
];

/** Largest distance of a float32 probability below 1 from it. */
const resolution = 2 ** -24;

/** A logit from what the graph returned, up to a constant that all columns of a softmax share; NaN outside of [0, 1]. */
const logitOf: Readonly<Record<Activation, (value: number) => number>> = {
  none: (value) => value,
  sigmoid: (value) => {
    const p = Math.min(1 - resolution, Math.max(resolution, requireProbability(value)));
    return Math.log(p) - Math.log1p(-p);
  },
  softmax: (value) => Math.log(Math.max(Number.MIN_VALUE, requireProbability(value))),
};

/** @throws {SluiceError} MODEL_RUN_FAILED */
function requireProbability(value: number): number {
  // Half precision rounds past 1.
  if (value >= -1e-3 && value <= 1.001) return Math.min(1, value);
  const message = `the verifier returned ${value}, expected a probability, because its description names an activation`;
  throw new SluiceError("MODEL_RUN_FAILED", message, {
    hint: "Describe the model again: sluice model describe DIR --write --force",
  });
}

/** Reads rows of a model's output. */
export interface LabelMapping {
  /** Columns of a row. */
  readonly columns: number;
  /** @param row  outputs of one pair, in the label order */
  readonly logits: (row: Float32Array) => Logits;
}

/**
 * How the columns of a verifier's output become logits of mismatch, needs_input and executable. A label order is the
 * three labels, a natural language inference order of three or two (match = entailment), or one relevance logit
 * (mismatch = 0); each set in any order. An activation that the graph applies is undone first.
 * @throws {SluiceError} MODEL_INVALID for any other label order; `logits`: MODEL_RUN_FAILED for what is no probability
 */
export function labelMapping(labelOrder: readonly VerifierColumn[], activation: Activation = "none"): LabelMapping {
  const set = columnSets.find(({ columns }) => isOrderOf(labelOrder, columns));
  if (set === undefined) throw unknownOrder(labelOrder);
  if (activation === "softmax" && labelOrder.length === 1) {
    throw new SluiceError("MODEL_INVALID", "verifier: activation is softmax with one column, which is then always 1", {
      hint: "Describe the model again: sluice model describe FOLDER --activation sigmoid --write",
    });
  }
  const toLogit = logitOf[activation];
  return {
    columns: labelOrder.length,
    logits: (row) => set.read((name) => toLogit(row[labelOrder.indexOf(name)] ?? Number.NaN)),
  };
}

/** Columns that belong together, in words; a label order is one of these sets in any order. */
export const labelSets: readonly string[] = columnSets.map(({ columns }) => columns.join(", "));

/** Whether the columns are one of the sets, each column once. */
export const isLabelOrder = (columns: readonly string[]): columns is readonly VerifierColumn[] =>
  columnSets.some((set) => isOrderOf(columns, set.columns));

const isOrderOf = (labelOrder: readonly string[], columns: readonly VerifierColumn[]): boolean =>
  labelOrder.length === columns.length && columns.every((column) => labelOrder.includes(column));

function unknownOrder(labelOrder: readonly VerifierColumn[]): SluiceError {
  const allowed = labelSets;
  const message = `verifier: label_order is [${labelOrder.join(", ")}], but must be [${allowed.join("], [")}], in any order`;
  return new SluiceError("MODEL_INVALID", message, {
    hint: "Write the columns in the order of the model's output; the export's config.json names them in id2label.",
    details: { found: labelOrder, allowed },
  });
}
