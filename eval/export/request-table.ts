import { type EvaluatedThresholds, calibratorOfRequest } from "../metrics/evaluated-thresholds.js";
import type { CalibratedCandidate } from "../../src/documents/decision.js";
import { applyCalibration, matchLogit } from "../../src/router/policy/apply-calibration.js";
import type { DecidedRequest } from "../requests/decided-request.js";
import { bool, float64, int32, tableFromArrays, tableToIPC, utf8 } from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { csvLine } from "../../datasets/csv-line.js";
import { SluiceError } from "../../src/base/error.js";

/** Request texts by request id; null omits the text column. */
export type ExportedTexts = ReadonlyMap<string, string> | null;

const listText = (items: readonly string[] | null): string | null => (items === null ? null : items.join(" "));

/** One row per request: label, decision, confidence, how it ended, slices and the verifier's features. */
export function requestTable(requests: readonly DecidedRequest[], texts: ExportedTexts): ExportTable {
  const columns = new ColumnsOf(requests);
  const slices = [...new Set(requests.flatMap(({ record }) => Object.keys(record.slices)))].sort();
  const features = requests.map(
    ({ record }) => record.candidates.find((each) => each.features !== undefined)?.features,
  );
  const names = features.find((found) => found !== undefined)?.names ?? [];
  return [
    columns.text("id", ({ record }) => record.id),
    columns.text("fold", ({ record }) => record.fold),
    columns.text("population", ({ record }) => record.population),
    columns.text("cluster", ({ record }) => record.cluster),
    columns.text("workflow_id", ({ record }) => record.workflow_id),
    columns.text("first_workflow_id", ({ outcome }) => outcome?.top?.workflow_id ?? null),
    columns.text("tier", ({ outcome }) => outcome?.top?.risk_tier ?? null),
    columns.truth("first_is_right", ({ outcome }) => outcome?.topIsRight ?? null),
    columns.number("confidence", ({ outcome }) => outcome?.top?.confidence ?? null),
    columns.number("margin", ({ outcome }) => outcome?.decision?.margin ?? null),
    columns.text("decision", ({ outcome }) => outcome?.decision?.decision ?? null),
    columns.text("reason_code", ({ outcome }) => outcome?.decision?.reason_code ?? null),
    columns.text("chosen_workflow_id", ({ outcome }) => outcome?.decision?.workflow_id ?? null),
    columns.text("bucket", ({ bucket }) => bucket),
    columns.text("stage", ({ stage }) => stage),
    columns.whole("gold_rank", ({ record }) => record.gold_rank),
    columns.whole("candidates", ({ record }) => record.candidates.length),
    columns.text("missing_inputs", ({ outcome }) => listText(outcome?.top?.missing_inputs ?? null)),
    columns.text("expected_missing_inputs", ({ record }) => listText(record.expected_missing)),
    columns.text("error_code", ({ record }) => record.error_code),
    ...slices.map((name) => columns.text(`slice_${name}`, ({ record }) => record.slices[name] ?? null)),
    ...names.map((name, index) =>
      new ColumnsOf(features).number(`feature_${name}`, (found) => found?.values[index] ?? null),
    ),
    ...(texts === null ? [] : [columns.text("text", ({ record }) => texts.get(record.id) ?? null)]),
  ];
}

interface CandidateRow {
  readonly request: DecidedRequest;
  readonly candidate: CalibratedCandidate;
  readonly place: number;
}

/** One row per candidate of each request, in decision order. */
export function candidateTable(
  requests: readonly DecidedRequest[],
  thresholds: EvaluatedThresholds | null,
): ExportTable {
  const rows = requests.flatMap((request): readonly CandidateRow[] =>
    applyCalibration(calibratorOfRequest(thresholds, request.record.id), request.record.candidates).map(
      (candidate, index) => ({
        request,
        candidate,
        place: index + 1,
      }),
    ),
  );
  const columns = new ColumnsOf(rows);
  return [
    columns.text("id", ({ request }) => request.record.id),
    columns.text("fold", ({ request }) => request.record.fold),
    columns.whole("place", ({ place }) => place),
    columns.text("candidate_workflow_id", ({ candidate }) => candidate.workflow_id),
    columns.truth("is_right", ({ request, candidate }) => request.record.workflow_id === candidate.workflow_id),
    columns.text("tier", ({ candidate }) => candidate.risk_tier),
    columns.truth("eligible", ({ candidate }) => candidate.eligible),
    columns.number("retrieval_score", ({ candidate }) => candidate.retrieval_score),
    columns.number("logit_mismatch", ({ candidate }) => candidate.logits.mismatch),
    columns.number("logit_needs_input", ({ candidate }) => candidate.logits.needs_input),
    columns.number("logit_executable", ({ candidate }) => candidate.logits.executable),
    columns.number("match_logit", ({ candidate }) => matchLogit(candidate.logits)),
    columns.number("confidence", ({ candidate }) => candidate.confidence),
    columns.text("missing_inputs", ({ candidate }) => listText(candidate.missing_inputs)),
    columns.truth("input_timeout", ({ candidate }) => candidate.input_timeout),
  ];
}

/** One column of an exported table; a missing value is null. */
export type ExportColumn =
  | { readonly name: string; readonly type: "text"; readonly values: readonly (string | null)[] }
  | { readonly name: string; readonly type: "number"; readonly values: readonly (number | null)[] }
  | { readonly name: string; readonly type: "whole"; readonly values: readonly (number | null)[] }
  | { readonly name: string; readonly type: "truth"; readonly values: readonly (boolean | null)[] };

/** Columns of equal length with distinct names. */
export type ExportTable = readonly ExportColumn[];

type Values<T extends ExportColumn["type"]> = Extract<ExportColumn, { readonly type: T }>["values"][number];

class ColumnsOf<Row> {
  private readonly rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }

  text(name: string, of: (row: Row) => Values<"text">): ExportColumn {
    return { name, type: "text", values: this.rows.map(of) };
  }

  number(name: string, of: (row: Row) => Values<"number">): ExportColumn {
    return { name, type: "number", values: this.rows.map(of) };
  }

  whole(name: string, of: (row: Row) => Values<"whole">): ExportColumn {
    return { name, type: "whole", values: this.rows.map(of) };
  }

  truth(name: string, of: (row: Row) => Values<"truth">): ExportColumn {
    return { name, type: "truth", values: this.rows.map(of) };
  }
}

export const tableFormats = { ".arrow": arrowBytes, ".csv": csvBytes, ".parquet": parquetBytes } as const;

/** An Arrow IPC file; integers are int32, other numbers float64. */
function arrowBytes(table: ExportTable): Uint8Array {
  const arrays = table.map(({ name, values }): [string, unknown[]] => [name, [...values]]);
  const types = { text: utf8, number: float64, whole: int32, truth: bool } as const;
  const typed = Object.fromEntries(table.map(({ name, type }) => [name, types[type]()]));
  const bytes = tableToIPC(tableFromArrays(arrays, { types: typed }), { format: "file" });
  if (bytes === null) throw new SluiceError("INTERNAL", "the Arrow encoder returned no bytes");
  return bytes;
}

/** UTF-8 CSV with a header. A missing value is an empty cell; numbers are written in full precision. */
function csvBytes(table: ExportTable): Uint8Array {
  const rows = table[0]?.values.length ?? 0;
  const lines = Array.from({ length: rows }, (_, row) => csvLine(table.map(({ values }) => values[row] ?? null)));
  return Buffer.from(`${[csvLine(table.map(({ name }) => name)), ...lines].join("\n")}\n`, "utf8");
}

/** A Parquet file with Snappy compression. */
function parquetBytes(table: ExportTable): Uint8Array {
  const types = { text: "STRING", number: "DOUBLE", whole: "INT32", truth: "BOOLEAN" } as const;
  const columnData = table.map(({ name, type, values }: ExportColumn) => ({
    name,
    type: types[type],
    nullable: true,
    data: [...values],
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
