import { SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { isImported, readDataset } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import type { MeasurableRun } from "./measurable-run.js";

/**
 * Request texts of a run by id, read from its dataset, because runs store no texts.
 * @throws {SluiceError} USAGE  the run was imported
 */
export function textsOfRun(
  history: History,
  { document, sha256 }: Omit<MeasurableRun, "records">,
): ReadonlyMap<string, string> {
  if (!isImported(document)) {
    return new Map(readDataset(history, document.dataset_sha256).document.map(({ id, text }) => [id, text]));
  }
  throw new SluiceError("USAGE", `run ${shortId(sha256)} was imported without texts`, {
    hint: "Run the command again without texts.",
  });
}
