import type { RetrieverModel, VerifierModel } from "../../documents/model.js";
import { SluiceError } from "../../base/error.js";
import { parseRetrieverModel } from "../retrieval/parse-retriever.js";
import { modelFileName, type ModelFiles, readModelJson } from "../retrieval/model-files.js";
import { parseVerifierModel } from "./parse-verifier.js";
import { modelRoles } from "../../documents/choices.js";

/**
 * Parses and checks the description of a model directory of either role.
 * @throws {SluiceError} MODEL_INVALID  the description is missing, breaks a rule, or contradicts the other files
 */
export function parseModel(files: ModelFiles): RetrieverModel | VerifierModel {
  const json = readModelJson(files, "model");
  const role = typeof json === "object" && json !== null && "role" in json ? json.role : undefined;
  if (role === "retriever") return parseRetrieverModel(files);
  if (role === "verifier") return parseVerifierModel(files);
  throw new SluiceError("MODEL_INVALID", `${modelFileName}: /role must be one of ${modelRoles.join(", ")}`);
}
