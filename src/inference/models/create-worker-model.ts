import { SluiceError } from "../../errors/error.js";
import type { ModelSpec } from "../protocol.js";
import { GraphModel } from "./graph-model.js";
import type { WorkerModel } from "./worker-model.js";

/** Builds the model of a specification. @throws {SluiceError} MODEL_INVALID */
export async function createWorkerModel(spec: ModelSpec): Promise<WorkerModel> {
  switch (spec.kind) {
    case "graph":
      return GraphModel.create(spec.graph);
    case "encoder":
    case "pair_scorer":
      throw new SluiceError("MODEL_INVALID", `models of kind ${spec.kind} cannot be loaded`);
  }
}
