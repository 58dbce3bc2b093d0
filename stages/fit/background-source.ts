import { join } from "node:path";
import { type Static, Type } from "../../src/base/typebox.js";
import { BadRows } from "../../datasets/bad-rows.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { clusterOf, type LabelledRequest } from "../../src/documents/dataset.js";
import { Sha256Schema } from "../../src/documents/primitives.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { parseDocument } from "../../src/router/parse-document.js";
import { readInput } from "../../src/base/files.js";
import { packageFolder } from "../../src/base/package-facts.js";
import type { Background } from "../../calibrate/background-rows.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import type { FitOptions } from "../../src/documents/calibration.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { scoreOverRun } from "../score/score-run.js";
import type { History } from "../../store/history/open.js";
import type { FitInput } from "../../calibrate/fit-input.js";
import type { recordFiles } from "../../src/trust/bundle-layout.js";
import { getBlob } from "../../store/history/read.js";
import { type Stored, readScoredRecords, readSplit } from "../../store/records/read-records.js";
import type { Session } from "../../store/records/session.js";

/**
 * Generic requests that the calibrator learns as out of scope: none, the shipped ones, or a file. "auto": the shipped
 * ones if a share is declared and no labelled request is out of scope.
 */
export type BackgroundSource = "auto" | "none" | "shipped" | { readonly file: string };

export interface BackgroundRequests {
  readonly bytes: Buffer;
  readonly rows: readonly LabelledRequest[];
}

const CardSchema = Type.Object({ requests_sha256: Sha256Schema });

/**
 * Parses background requests, which must have no workflow. @throws {SluiceError} DOCUMENT_INVALID, and the errors of
 * `readJsonl`
 */
export function readBackground(bytes: Buffer, name: string): BackgroundRequests {
  const rows = readJsonl(bytes, name);
  const labelled = rows.find(({ workflow_id: workflowId }) => workflowId !== null);
  if (labelled === undefined) return { bytes, rows };
  throw new SluiceError("DOCUMENT_INVALID", `${name}: row ${labelled.id} has a workflow, expected workflow_id null`, {
    hint: "A background holds requests that belong to no workflow of the catalog.",
  });
}

/**
 * Reads a folder with requests.jsonl and a card.json that contains its digest.
 * @throws {SluiceError} HASH_MISMATCH  the digest of the requests differs from the card
 */
export async function readBackgroundFolder(folder: string): Promise<BackgroundRequests> {
  const [file, cardFile] = [join(folder, "requests.jsonl"), join(folder, "card.json")];
  const bytes = await readInput(file);
  const card: Static<typeof CardSchema> = parseDocument(CardSchema, await readInput(cardFile), cardFile);
  const found = sha256Hex(bytes);
  if (found === card.requests_sha256) return readBackground(bytes, file);
  throw new SluiceError(
    "HASH_MISMATCH",
    `${file}: found ${found}, expected ${card.requests_sha256} as its card states`,
    {
      hint: say`Install Sluice again, or fit without a background: ${command`sluice calibrate fit --background none`}`,
    },
  );
}

/**
 * Reads the background requests of a fit; undefined: none. @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID,
 * HASH_MISMATCH
 */
export async function backgroundRequests(
  source: Exclude<BackgroundSource, "auto">,
): Promise<BackgroundRequests | undefined> {
  if (source === "none") return undefined;
  if (source === "shipped") return readBackgroundFolder(join(packageFolder(), "models", "default", "background"));
  return readBackground(await readInput(source.file), source.file);
}

/**
 * Parses follow-ups, which name the workflow of the request before them.
 * @throws {SluiceError} DOCUMENT_INVALID, and the errors of `readJsonl`
 */
export function readFollowUps(bytes: Buffer, name: string): BackgroundRequests {
  return { bytes, rows: readJsonl(bytes, name, new BadRows(), "follow-ups") };
}

/** Scored rows, and the bytes of their requests and scores that are stored with the calibration. */
interface ScoredRows {
  readonly rows: Background;
  readonly attachments: readonly [Uint8Array, Uint8Array];
}

/** Scores further rows of a fit with the catalog and models of a run. */
export async function scoreFitRows(
  session: Session,
  run: Stored<Run>,
  { requests, workers }: { readonly requests: BackgroundRequests; readonly workers: number },
): Promise<ScoredRows> {
  const { bytes, rows } = requests;
  const foldOf = new Map(rows.map((row) => [clusterOf(row), "tune"] as const));
  const records = await scoreOverRun(session, run, { rows, foldOf, workers });
  const table = scoredTableBytes(records);
  const scored = { requestsSha256: sha256Hex(bytes), recordsSha256: sha256Hex(table), records };
  return { rows: scored, attachments: [bytes, table] };
}

/**
 * Reads the background and the follow-ups of a calibration with their stored scores.
 * @throws {SluiceError} HISTORY_TAMPERED, RECORD_NOT_FOUND
 */
export const storedFitRows = (history: History, fit: FitOptions): FurtherRows =>
  fitRowsOf(fit, ({ records_sha256: digest }, kind) => readScoredTable(getBlob(history, digest), `scored ${kind}`));

export type FurtherRows = Pick<FitInput, "background" | "followUps">;

type NamedRows = NonNullable<FitOptions["background"]>;

/** @param read  the scored records of the rows that the options of a fit name */
export function fitRowsOf(
  { background, follow_ups: followUps }: FitOptions,
  read: (named: NamedRows, kind: keyof typeof recordFiles) => readonly ScoredRecord[],
): FurtherRows {
  const rowsOf = (named: NamedRows, kind: "background" | "follow_ups"): Background => ({
    requestsSha256: named.requests_sha256,
    recordsSha256: named.records_sha256,
    records: read(named, kind),
  });
  return {
    background: background && rowsOf(background, "background"),
    followUps: followUps && { ...rowsOf(followUps, "follow_ups"), attempt: followUps.attempt },
  };
}

export function requestsOfFitRows(
  history: History,
  { background, followUps }: FurtherRows,
): readonly (BackgroundRequests & { readonly kind: "background" | "follow_ups" })[] {
  const bytesOf = ({ requestsSha256 }: Background): Buffer => getBlob(history, requestsSha256);
  return [
    ...(background === undefined
      ? []
      : [{ kind: "background" as const, ...readBackground(bytesOf(background), "background requests") }]),
    ...(followUps === undefined
      ? []
      : [{ kind: "follow_ups" as const, ...readFollowUps(bytesOf(followUps), "follow-ups") }]),
  ];
}

/**
 * Reads the scored records of a run, and checks that its split was made for its catalog and dataset.
 * @throws {SluiceError} SPLIT_INVALID, and the errors of reading
 */
export function recordsOfRun(history: History, run: Stored<Run>): readonly ScoredRecord[] {
  const split = readSplit(history, run.document.split_sha256).document;
  if (split.catalog_sha256 !== run.document.catalog_sha256 || split.dataset_sha256 !== run.document.dataset_sha256) {
    throw new SluiceError("SPLIT_INVALID", "the run and its split name different catalogs or datasets", {
      hint: say`Score the dataset again: ${command`sluice eval run`}`,
    });
  }
  return readScoredRecords(history, run);
}
