import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { counted } from "../../src/documents/number-text.js";
import type { Split } from "../../src/documents/split.js";
import { listRecords, type Stored } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import type { DrawPlan } from "../../datasets/labelling/label-records.js";
import {
  exampleRows,
  type Labelling,
  labelledRows,
  readLabelling,
  readLog,
  splitOfDraws,
  testRows,
} from "./labelling.js";

/** The labelling of a project's log and its latest test. */
export interface DrawnProject {
  readonly labelling: Labelling;
  readonly plan: Stored<DrawPlan>;
}

/**
 * Reads the latest test of a log.
 * @throws {SluiceError} SPLIT_INVALID  no test was planned; and the errors of reading
 */
export async function readDrawnProject(
  { history }: Pick<Session, "history">,
  { log, seed }: { readonly log: string; readonly seed: number },
): Promise<DrawnProject> {
  const labelling = readLabelling(history, await readLog(log), seed);
  const plan = labelling.plans.at(-1);
  if (plan !== undefined) return { labelling, plan };
  throw new SluiceError("SPLIT_INVALID", `${log}: no route of this log was tested`, {
    hint: say`Test it: ${command`sluice label`}`,
  });
}

/**
 * Refuses requests that were drawn for the test of a log: they were chosen among its routed requests, so as plain requests they
 * would be no sample of the traffic.
 * @throws {SluiceError} SPLIT_INVALID
 */
export function refuseDrawn({ history }: Pick<Session, "history">, rows: readonly LabelledRequest[]): void {
  const drawn = new Set(listRecords(history, "draw").flatMap(({ document: { draws } }) => draws.map(({ row }) => row)));
  const found = rows.filter(({ id }) => drawn.has(id)).length;
  if (found === 0) return;
  throw new SluiceError(
    "SPLIT_INVALID",
    `found ${counted(found, "request")} drawn among the routed requests of a log, expected a sample of all requests`,
    { hint: 'Restore the line "log: log.jsonl" in sluice.yaml, or remove these requests.' },
  );
}

/**
 * Saves the split of a test, after comparing the files of the project with the history.
 * @throws {SluiceError} SPLIT_INVALID  the requests or the catalog were edited
 */
export function saveDrawnSplit(
  session: Session,
  { labelling, plan: { document: plan } }: DrawnProject,
  files: { readonly dataset_sha256: Sha256; readonly catalog_sha256: Sha256 },
): { readonly splitId: Sha256; readonly split: Split } {
  const isClicked = files.dataset_sha256 === sha256Hex(datasetBytes(labelledRows(labelling)));
  if (!isClicked || files.catalog_sha256 !== plan.catalog_sha256) {
    const what = isClicked
      ? "the catalog differs from that of the test"
      : "the requests differ from the clicks in the history";
    throw new SluiceError("SPLIT_INVALID", what, {
      hint: say`Restore catalog.yaml (${command`sluice catalog export`}), or delete requests.jsonl and write it again: ${command`sluice label`}`,
    });
  }
  const [examples, tests] = [exampleRows(labelling, plan.stage), testRows(labelling, plan)];
  const split = splitOfDraws({ ...files, seed: plan.seed, examples, tests });
  return { splitId: saveRecord(session, "split", canonicalBytes(split)).sha256, split };
}
