import { createHash } from "node:crypto";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { foldOfRow } from "../../src/documents/split.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import {
  readCalibration,
  readDataset,
  readRun,
  readScoredRecords,
  readSplit,
} from "../../store/records/read-records.js";

export interface TestedRows {
  readonly id: Sha256;
  readonly calibration: Calibration;
  readonly rows: readonly LabelledRequest[];
}

/** The tested rows of every calibration in the history, in order. */
export function testedRows(history: History): readonly TestedRows[] {
  return listEntries(history, { kind: "calibration" }).map(({ sha256 }) => {
    const { document: calibration } = readCalibration(history, sha256);
    const folds = foldOf(readSplit(history, calibration.digests.split).document);
    const rows = readDataset(history, calibration.digests.dataset).document.filter((row) => {
      const fold = foldOfRow(row, folds);
      return fold === "certify" || (fold === "tune" && calibration.cross_fit !== null);
    });
    return { id: sha256, calibration, rows };
  });
}

const textOf = ({ text }: LabelledRequest): string => normaliseText(text);

/**
 * Number of this calibration among those on the same labels: one plus the number of earlier ones that tested any of
 * these texts for a claim about the same population. Repeating the same fit does not increase the number; a comparison
 * that is never released does not count.
 * @param identity  identity of a calibration: the digests of its inputs, and its options except the attempt
 */
export function attemptOf(
  tested: readonly TestedRows[],
  rows: readonly LabelledRequest[],
  {
    population,
    identity,
    identityOf,
  }: {
    readonly population: Calibration["claims"][number]["population"];
    readonly identity: string;
    readonly identityOf: (calibration: Calibration) => string;
  },
): number {
  const texts = new Set(rows.map(textOf));
  const before = new Set<string>();
  for (const { calibration, rows: other } of tested) {
    if (calibration.claims[0]?.population !== population || calibration.fit.attempt === null) continue;
    const own = identityOf(calibration);
    if (own === identity) return before.size + 1;
    if (other.some((row) => texts.has(textOf(row)))) before.add(own);
  }
  return before.size + 1;
}

/** Number of this test of follow-ups: one plus the number of earlier ones on other rows or scores, whatever they share. */
export function attemptOfFollowUps(history: History, records: Sha256): number {
  const tests = listEntries(history, { kind: "calibration" }).flatMap(
    ({ sha256 }) => readCalibration(history, sha256).document.fit.follow_ups ?? [],
  );
  const known = tests.find(({ records_sha256: digest }) => digest === records);
  return known?.attempt ?? 1 + new Set(tests.map(({ records_sha256: digest }) => digest)).size;
}

/**
 * Identity of a test: the options of the fit, and the scored requests outside EVAL. Held-out requests decide nothing, so a
 * fit that differs only in them tests the same labels in the same way.
 * @param read  records that the caller has already read, by the id of their run
 */
export function identitiesOfFits(
  history: History,
  read: ReadonlyMap<Sha256, readonly ScoredRecord[]> = new Map(),
): (fit: Pick<Calibration, "digests" | "fit">) => string {
  const known = new Map<Sha256, string>();
  const testedRecords = (runId: Sha256): string => {
    const run = readRun(history, runId);
    const records = (): readonly ScoredRecord[] => read.get(runId) ?? readScoredRecords(history, run);
    const digest = known.get(run.document.records_sha256) ?? digestOutsideEval(records());
    known.set(run.document.records_sha256, digest);
    return digest;
  };
  return ({ digests, fit }) => {
    const { follow_ups: _, ...options } = fit;
    return canonicalJson({ records: testedRecords(digests.run), fit: { ...options, attempt: null } });
  };
}

function digestOutsideEval(records: readonly ScoredRecord[]): string {
  const hash = createHash("sha256");
  for (const { wrong_before: _, ...record } of records) if (record.fold !== "eval") hash.update(canonicalJson(record));
  return hash.digest("hex");
}
