import { defaultCrossFit } from "../../calibrate/fit-options.js";
import type { Run } from "../../src/domain/scored-record.js";
import { parseRetrieverModel } from "../../src/retrieval/load-retriever.js";
import type { History } from "../history/open.js";
import { type Kept, readModel } from "../records/read-records.js";

/**
 * Parts of the cross-fit of a run unless another number is asked for. 1 where requests of this dataset chose the weight
 * of a fused retriever: those are of TUNE, which then tests nothing.
 */
export function partsOfRun(history: History, { document }: Kept<Run>): number {
  const model = parseRetrieverModel(readModel(history, document.retrieverSha256).files);
  const chosenHere = model.kind === "fused" && model.fittedOn.datasetSha256 === document.datasetSha256;
  return chosenHere ? 1 : defaultCrossFit;
}
