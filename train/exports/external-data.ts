import { posix } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import { externalDataNames } from "../../src/inference/external-weights.js";
import type { GraphFiles } from "../../src/inference/protocol.js";
import { type ModelFiles, modelFile } from "../../src/router/retrieval/model-files.js";

/**
 * Reads a graph of a model directory with the weight files that it refers to.
 * @throws {SluiceError} MODEL_INVALID  a file is missing or outside the directory
 */
export function graphFiles(files: ModelFiles, path: string): GraphFiles {
  const bytes = modelFile(files, path, "model");
  const externalData = externalDataNames(bytes).map((name) => {
    const data = files.get(externalDataPath(path, name));
    if (data !== undefined) return { path: name, bytes: data };
    throw new SluiceError("MODEL_INVALID", `${path} stores weights in ${JSON.stringify(name)}, which is missing`, {
      hint: "Put the file next to the graph, with the name that the graph uses.",
    });
  });
  return { bytes, externalData };
}

/** Paths of a graph and its weight files, as in a description. @throws {SluiceError} MODEL_INVALID */
export function graphPaths(
  files: ModelFiles,
  graph: string,
): { readonly graph: string; readonly external_data: string[] } {
  const names = externalDataNames(modelFile(files, graph, "model"));
  return { graph, external_data: names.map((name) => externalDataPath(graph, name)) };
}

/** Path of a weight file in the model directory. The graph refers to it relative to the graph's folder. */
export function externalDataPath(graph: string, name: string): string {
  return posix.join(posix.dirname(graph), name);
}
