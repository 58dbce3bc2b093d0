import type { RetrieverModel, VerifierModel } from "../../documents/model.js";
import { SluiceError } from "../../base/error.js";
import { parseRetrieverModel } from "../retrieval/parse-retriever.js";
import { modelFileName, type ModelFiles, readModelJson } from "../retrieval/model-files.js";
import { parseVerifierModel, verifierDescription } from "./parse-verifier.js";
import { type ModelRole, modelRoles } from "../../documents/choices.js";

/**
 * Parses and checks the description of a model directory of either role.
 * @throws {SluiceError} MODEL_INVALID  the description is missing, breaks a rule, or contradicts the other files
 */
export function parseModel(files: ModelFiles): RetrieverModel | VerifierModel {
  return roleOf(files) === "retriever" ? parseRetrieverModel(files) : parseVerifierModel(files);
}

/** Parses the description without comparing it with other files. @throws {SluiceError} MODEL_INVALID */
export function modelDescription(files: ModelFiles): RetrieverModel | VerifierModel {
  return roleOf(files) === "retriever" ? parseRetrieverModel(files) : verifierDescription(files);
}

function roleOf(files: ModelFiles): ModelRole {
  const json = readModelJson(files, "model");
  const found = typeof json === "object" && json !== null && "role" in json ? json.role : undefined;
  const role = modelRoles.find((known) => known === found);
  if (role !== undefined) return role;
  throw new SluiceError("MODEL_INVALID", `${modelFileName}: /role must be one of ${modelRoles.join(", ")}`);
}
