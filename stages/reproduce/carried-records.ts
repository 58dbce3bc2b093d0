import { counted } from "../../src/documents/number-text.js";
import { recordFiles } from "../../src/trust/bundle-layout.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { Calibration, FitOptions } from "../../src/documents/calibration.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { requestsOfFitRows, storedFitRows } from "../fit/background-source.js";
import type { History } from "../../store/history/open.js";
import { getBlob } from "../../store/history/read.js";
import { type Stored, readCatalog, readDataset, readScoredRecords } from "../../store/records/read-records.js";

/**
 * Files in a bundle for reproducing its claim without the dataset: scored records, and the scored background
 * and follow-ups if the fit had any. Run and calibration are those in the manifest.
 * @throws {SluiceError} RECORDS_HOLD_TEXT, HISTORY_TAMPERED, RECORD_NOT_FOUND
 */
export function carriedRecords(
  history: History,
  { run, calibration }: { readonly run: Stored<Run>; readonly calibration: Stored<Calibration> },
): ReadonlyMap<string, Buffer> {
  const records = readScoredRecords(history, run);
  const rows = readDataset(history, run.document.dataset_sha256).document;
  const shown = publicTexts(readCatalog(history, run.document.catalog_sha256).document);
  requireNoTexts(records, new Map(rows.map(({ id, text }) => [id, text])), shown);
  return new Map([
    [recordFiles.scored, getBlob(history, run.document.records_sha256)],
    ...carriedFitRows(history, calibration.document.fit, shown),
  ]);
}

function carriedFitRows(
  history: History,
  fit: FitOptions,
  shown: readonly string[],
): readonly (readonly [string, Buffer])[] {
  const stored = storedFitRows(history, fit);
  const scoredOf = { background: stored.background, follow_ups: stored.followUps };
  return requestsOfFitRows(history, stored).flatMap(({ kind, rows }) => {
    const scored = scoredOf[kind];
    if (scored === undefined) return [];
    requireNoTexts(scored.records, new Map(rows.map(({ id, text }) => [id, text])), shown);
    return [[recordFiles[kind], getBlob(history, scored.recordsSha256)] as const];
  });
}

/**
 * Minimum number of words of a text. A label that contains a shorter text counts as a name, not as repeating the text.
 */
const leastWords = 3;

const joined = (words: readonly string[]): string => words.join(" ");

/**
 * Refuses records whose ids, groups or slices repeat a text of the dataset, as happens if rows are named after their
 * texts. A text in the catalog is not secret, because the bundle contains the catalog.
 * @param shown  ids and texts of the catalog
 * @throws {SluiceError} RECORDS_HOLD_TEXT
 */
export function requireNoTexts(
  records: readonly ScoredRecord[],
  texts: ReadonlyMap<string, string>,
  shown: readonly string[],
): void {
  const open = new Set(shown.map((text) => joined(wordsOf(text))));
  const secret = new Map(
    [...texts].map(([id, text]) => [id, wordsOf(text)] as const).filter(([, words]) => !open.has(joined(words))),
  );
  const known = new Set([...secret.values()].filter(({ length }) => length >= leastWords).map(joined));
  const leaking = records.filter((record) => repeatsText(record, secret.get(record.id) ?? [], known)).length;
  if (leaking === 0) return;
  const message = `found a request text in an id, group or slice of ${leaking} of ${counted(records.length, "scored record")}, expected none`;
  throw new SluiceError("RECORDS_HOLD_TEXT", message, {
    hint: say`Replace the ids of the dataset with numbers, and rescore it: ${command`sluice eval run`}`,
  });
}

const publicTexts = ({ workflows }: Catalog): readonly string[] =>
  workflows.flatMap(({ workflow_id: workflowId, name, description, capabilities, exclusions, examples }) => [
    workflowId,
    name,
    description,
    ...capabilities,
    ...exclusions,
    ...examples,
  ]);

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Whether a label equals the text of any request, or contains the text of its own request. */
function repeatsText(
  { id, cluster, slices }: ScoredRecord,
  words: readonly string[],
  known: ReadonlySet<string>,
): boolean {
  const text = joined(words);
  return [id, cluster, ...Object.keys(slices), ...Object.values(slices)]
    .map((label) => joined(wordsOf(label)))
    .filter((label) => label !== "")
    .some(
      (label) =>
        label === text || known.has(label) || (words.length >= leastWords && ` ${label} `.includes(` ${text} `)),
    );
}
