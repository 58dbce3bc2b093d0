import type { ScoredCandidate } from "../../documents/decision.js";
import { type Activation, type VerifierColumn, verifierLabels, verifierColumns } from "../../documents/choices.js";
import { command, say, SluiceError } from "../../base/error.js";
import type { ModelFiles } from "../retrieval/model-files.js";

export type Logits = ScoredCandidate["logits"];

/**
 * Converts a model's outputs for one pair to logits of the three labels. @param column  returns the output of a column
 * by name
 */
type Reading = (column: (name: VerifierColumn) => number) => Logits;

/** A set of columns, in any order, and how to convert them. */
interface ColumnSet {
  readonly columns: readonly VerifierColumn[];
  readonly read: Reading;
}

/**
 * Logits for a model that rates the match but not whether inputs are missing: each matching label gets half of the
 * match probability.
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

/** Distance between 1 and the largest float32 number below it. */
const resolution = 2 ** -24;

/**
 * Converts an output of the graph to a logit, up to a constant shared by all columns of a softmax. Throws for a value
 * that is not a probability, unless the graph returns logits.
 */
const logitOf: Readonly<Record<Activation, (value: number) => number>> = {
  none: (value) => value,
  sigmoid: (value) => {
    const p = Math.min(1 - resolution, Math.max(resolution, requireProbability(value)));
    return Math.log(p) - Math.log1p(-p);
  },
  softmax: (value) => Math.log(Math.max(Number.MIN_VALUE, requireProbability(value))),
};

function requireProbability(value: number): number {
  // Half precision can round to slightly above 1.
  if (value >= -1e-3 && value <= 1.001) return Math.min(1, value);
  const message = `the verifier returned ${value}, expected a probability, because its description names an activation`;
  throw new SluiceError("MODEL_RUN_FAILED", message, {
    hint: say`Describe the model again: ${command`sluice model describe DIR --write --force`}`,
  });
}

export interface LabelMapping {
  readonly columns: number;
  /** @param row outputs for one pair, in the label order */
  readonly logits: (row: Float32Array) => Logits;
}

/**
 * Converts the columns of a verifier's output to logits of mismatch, needs_input and executable. A label order consists
 * of the three labels, of two or three labels of natural language inference (match = entailment), or of a single
 * relevance logit (mismatch = 0); labels may be in any order. An activation applied by the graph is inverted first.
 * @throws {SluiceError} MODEL_INVALID for any other label order; `logits`: MODEL_RUN_FAILED for a value that is not a
 *   probability
 */
export function labelMapping(labelOrder: readonly VerifierColumn[], activation: Activation = "none"): LabelMapping {
  const set = columnSets.find(({ columns }) => isOrderOf(labelOrder, columns));
  if (set === undefined) throw unknownOrder(labelOrder);
  if (activation === "softmax" && labelOrder.length === 1) {
    throw new SluiceError("MODEL_INVALID", "verifier: activation is softmax with one column, which is then always 1", {
      hint: say`Describe the model again: ${command`sluice model describe FOLDER --activation sigmoid --write`}`,
    });
  }
  const toLogit = logitOf[activation];
  return {
    columns: labelOrder.length,
    logits: (row) => set.read((name) => toLogit(row[labelOrder.indexOf(name)] ?? Number.NaN)),
  };
}

/** The valid sets of columns as text; a label order is one of these sets in any order. */
export const labelSets: readonly string[] = columnSets.map(({ columns }) => columns.join(", "));

/** Whether the columns form one of the sets, without repetition. */
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

const configFile = "config.json";

/**
 * Compares a label order with the export's description of its output (`id2label` in `config.json`). Passes if the
 * export names no labels, or only meaningless ones (LABEL_0).
 * @throws {SluiceError} MODEL_INVALID
 */
export function checkIdToLabel(files: ModelFiles, labelOrder: readonly VerifierColumn[]): void {
  const named = namedColumns(files.get(configFile));
  if (named === null || named.join() === labelOrder.join()) return;
  const message = `verifier: label_order is [${labelOrder.join(", ")}], but ${configFile} says [${named.join(", ")}]`;
  throw new SluiceError("MODEL_INVALID", message, { hint: `Take the order of id2label in ${configFile}.` });
}

/** Columns by position if every label is known; otherwise null. */
function namedColumns(config: Buffer | undefined): readonly VerifierColumn[] | null {
  if (config === undefined) return null;
  const labels = idToLabel(config);
  const columns = Array.from({ length: labels.size }, (_, id) => knownColumn(labels.get(String(id))));
  const known = columns.filter((column) => column !== null);
  return known.length > 0 && known.length === columns.length ? known : null;
}

/** Labels by position in the output; empty if the export names none. */
function idToLabel(config: Buffer): ReadonlyMap<string, unknown> {
  const json = parse(config);
  if (typeof json !== "object" || json === null || !("id2label" in json)) return new Map();
  return typeof json.id2label === "object" ? new Map(Object.entries(json.id2label ?? {})) : new Map();
}

function parse(config: Buffer): unknown {
  try {
    return JSON.parse(config.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `verifier directory: ${configFile} is not well-formed JSON`, { cause });
  }
}

/** The column that a label name stands for; ignores case, spaces and hyphens. */
export function knownColumn(label: unknown): VerifierColumn | null {
  if (typeof label !== "string") return null;
  const name = label.toLowerCase().replace(/[\s-]+/g, "_");
  return verifierColumns.find((column) => column === name) ?? null;
}
