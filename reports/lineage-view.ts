import type { Calibration } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { reportTable, type ReportTable } from "./blocks.js";

/** SHA-256 (hex) of the records that the report was made from; null: unknown. */
export interface ReportLineage {
  readonly evaluation: string | null;
  readonly run: string | null;
  readonly calibration: string | null;
  readonly dataset: string | null;
  readonly split: string | null;
  readonly catalog: string | null;
}

/** One record: its digest, and the digests by which other records refer to it. */
interface LineageRecord {
  readonly record: string;
  readonly given: string | null;
  readonly named: readonly { readonly by: string; readonly digest: string }[];
}

function lineageRecords(
  evaluation: Evaluation,
  calibration: Calibration | null,
  lineage: ReportLineage,
): readonly LineageRecord[] {
  const byCalibration = (record: "catalog" | "dataset" | "split") =>
    calibration === null ? [] : [{ by: "the calibration", digest: calibration.digests[record] }];
  const used = evaluation.calibration_sha256;
  return [
    { record: "Evaluation", given: lineage.evaluation, named: [] },
    { record: "Run", given: lineage.run, named: [{ by: "the evaluation", digest: evaluation.run_sha256 }] },
    {
      record: "Calibration",
      given: lineage.calibration,
      named: used === null ? [] : [{ by: "the evaluation", digest: used }],
    },
    { record: "Dataset", given: lineage.dataset, named: byCalibration("dataset") },
    { record: "Split", given: lineage.split, named: byCalibration("split") },
    { record: "Catalog", given: lineage.catalog, named: byCalibration("catalog") },
  ];
}

function agreement({ given, named }: LineageRecord): string {
  if (named.length === 0) return "not checked: no other record names it";
  if (given === null) return "not checked";
  const other = named.find((n) => n.digest !== given);
  return other === undefined ? "agrees" : `DIFFERS from the digest in ${other.by}`;
}

/** Table of the digests of all records, and whether the references between records agree. */
export function lineageTable(
  evaluation: Evaluation,
  calibration: Calibration | null,
  lineage: ReportLineage,
): ReportTable {
  return reportTable(
    "Records behind this report",
    ["Record", "SHA-256", "Check"],
    lineageRecords(evaluation, calibration, lineage).map((one) => [
      one.record,
      one.given ?? one.named[0]?.digest ?? "not given",
      agreement(one),
    ]),
  );
}

/** One sentence per record whose digest differs from the one that another record states. */
export function lineageWarnings(
  evaluation: Evaluation,
  calibration: Calibration | null,
  lineage: ReportLineage,
): readonly string[] {
  return lineageRecords(evaluation, calibration, lineage).flatMap(({ record, given, named }) =>
    named
      .filter((n) => given !== null && n.digest !== given)
      .map((n) => `${record}: its digest differs from the one in ${n.by}. The records do not belong together.`),
  );
}
