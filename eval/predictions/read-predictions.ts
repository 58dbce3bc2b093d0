import { BadRows } from "../../datasets/bad-rows.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { kindOf } from "../../datasets/describe.js";
import { readTable, type Table } from "../../datasets/sources/tables/read-table.js";
import { SluiceError } from "../../src/base/error.js";
import { type FieldPath, type PredictionMapping, valueAt } from "./mappings.js";

export interface Prediction {
  readonly id: string;
  /** Labelled workflow; null: out of scope; undefined: the row has no label. */
  readonly gold: string | null | undefined;
  /** null: the system predicted no workflow. */
  readonly predicted: string | null;
  /** Confidence of the prediction, in [0, 1]; 0 without a prediction. */
  readonly confidence: number;
  /** Further candidates in the system's order, without the prediction itself. */
  readonly others: readonly { readonly workflowId: string; readonly confidence: number }[];
  readonly group: string | null;
  /** Values of the grouping columns. */
  readonly by: readonly string[];
}

export interface ReadPredictionsOptions {
  readonly mapping: PredictionMapping;
  /** Grouping columns: each combination of their values is one run. */
  readonly by: readonly FieldPath[];
}

/**
 * Reads the output of a system from a table or a list of objects, in any format that `readTable` reads.
 * @throws {SluiceError} DOCUMENT_INVALID  with line and field
 */
export async function readPredictions(
  source: SourceFile,
  options: ReadPredictionsOptions,
): Promise<readonly Prediction[]> {
  const bad = new BadRows();
  const { rows } = await readTable(source, bad);
  refuseOtherFields(source.file, rows, options.mapping);
  const predictions = rows.flatMap(({ at, cells }, index) => {
    const refuse = (path: FieldPath, rule: string): undefined =>
      bad.add({ file: source.file, at, column: path.join("."), rule }) as undefined;
    const read = readPrediction(Object.fromEntries(cells), options, refuse);
    return read === undefined ? [] : [{ ...read, id: read.id ?? `row-${index + 1}` }];
  });
  bad.settle("Name the fields of your file with --gold, --predicted, --confidence and --id, or correct these rows.");
  if (predictions.length > 0) return predictions;
  throw new SluiceError("DOCUMENT_INVALID", `${source.file}: found no predictions, expected one for each row`);
}

/** A row may name no workflow. If no row names one, the mapping probably uses the wrong field. */
function refuseOtherFields(file: string, rows: Table["rows"], { predicted }: PredictionMapping): void {
  const [first] = rows;
  if (first === undefined || rows.some(({ cells }) => valueAt(Object.fromEntries(cells), predicted) !== undefined))
    return;
  const fields = [...first.cells.keys()].join(", ");
  throw new SluiceError("DOCUMENT_INVALID", `${file}: found no field ${predicted.join(".")}, only ${fields}`, {
    hint: "Choose the layout with --layout, or name the field with --predicted.",
  });
}

type Refuse = (path: FieldPath, rule: string) => undefined;
type ReadPrediction = Omit<Prediction, "id"> & { readonly id: string | null };

function readPrediction(
  row: unknown,
  { mapping, by }: ReadPredictionsOptions,
  refuse: Refuse,
): ReadPrediction | undefined {
  const [named, gold] = [nameAt(row, mapping.predicted, refuse), nameAt(row, mapping.gold, refuse)];
  if (named === false || gold === false) return undefined;
  const predicted = workflowOf(named, mapping) ?? null;
  const confidence = predicted === null ? 0 : confidenceAt(row, mapping.confidence, predicted);
  if (confidence === null) {
    const found = kindOf(valueAt(row, mapping.confidence, predicted ?? ""));
    return refuse(mapping.confidence, `found ${found}, expected a number from 0 to 1`);
  }
  return {
    id: plainAt(row, mapping.id),
    gold: workflowOf(gold, mapping),
    predicted,
    confidence,
    others: predicted === null ? [] : othersOf(row, mapping, predicted),
    group: plainAt(row, mapping.group),
    by: by.map((path) => plainAt(row, path) ?? ""),
  };
}

/** Converts the system's name for "no workflow" to null. */
function workflowOf(name: string | null | undefined, { none }: PredictionMapping): string | null | undefined {
  return typeof name === "string" && none.includes(name) ? null : name;
}

/** A name; null: empty; undefined: no such field; false: not a name. */
function nameAt(row: unknown, path: FieldPath, refuse: Refuse): string | null | undefined | false {
  const value = valueAt(row, path);
  if (value === undefined) return undefined;
  if (value === null || value === "") return null;
  if (typeof value === "string") return value;
  refuse(path, `found ${kindOf(value)}, expected the name of a workflow`);
  return false;
}

/** A string, or a number as a string; null if there is neither. */
function plainAt(row: unknown, path: FieldPath): string | null {
  const value = valueAt(row, path);
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

function confidenceAt(row: unknown, path: FieldPath, predicted?: string): number | null {
  const value = valueAt(row, path, predicted);
  const confidence = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? confidence : null;
}

function othersOf(row: unknown, { ranking, none }: PredictionMapping, predicted: string): Prediction["others"] {
  const list = ranking === null ? [] : valueAt(row, ranking.list);
  if (ranking === null || !Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const workflowId = valueAt(item, ranking.name);
    const confidence = confidenceAt(item, ranking.confidence);
    if (typeof workflowId !== "string" || workflowId === predicted || none.includes(workflowId)) return [];
    return confidence === null ? [] : [{ workflowId, confidence }];
  });
}
