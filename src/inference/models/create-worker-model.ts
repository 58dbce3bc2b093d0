import { SluiceError } from "../../base/error.js";
import type { ModelSpec } from "../protocol.js";
import { EncoderModel } from "./encoder-model.js";
import { GraphModel } from "./graph-model.js";
import { PairScorerModel } from "./pair-scorer-model.js";
import type { WorkerModel } from "./worker-model.js";

/** Builds the model that a specification describes. @throws {SluiceError} MODEL_INVALID */
export async function createWorkerModel(spec: ModelSpec): Promise<WorkerModel> {
  switch (spec.kind) {
    case "scorer":
      throw new SluiceError("MODEL_INVALID", "the threads of this pool have no scorer");
    case "graph":
      return GraphModel.create(spec.graph);
    case "encoder":
      return EncoderModel.create(spec);
    case "pair_scorer":
      return PairScorerModel.create(spec);
  }
}
