import { posix } from "node:path";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import type { Sourced } from "./derived.js";

export interface GraphChoice {
  readonly graph: Sourced<string>;
  /** The other graphs of the directory, in order of preference. */
  readonly others: readonly string[];
}

/** Patterns of graph file names in order of preference; any other name comes last. */
const preference: readonly RegExp[] = [
  /^model\.onnx$/,
  /^model_O[123]\.onnx$/,
  /(fp16|float16|_O4)/,
  /(int8|quantized)/,
];

/** Description of this order for messages. */
const graphOrder = "model.onnx, O1 to O3, fp16, int8";

/** Graphs of a model directory in order of preference; ties by name. */
export function graphsInOrder(files: ModelFiles): readonly string[] {
  const graphs = [...files.keys()].filter((path) => path.endsWith(".onnx")).sort();
  return graphs.sort((a, b) => groupOf(a) - groupOf(b) || folderOf(a) - folderOf(b));
}

function groupOf(path: string): number {
  const found = preference.findIndex((names) => names.test(posix.basename(path)));
  return found === -1 ? preference.length : found;
}

const folderOf = (path: string): number => (posix.dirname(path) === "onnx" ? 0 : 1);

/**
 * Chooses the graph of a directory.
 * @param wanted  path in the directory; undefined: by preference
 * @throws {SluiceError} MODEL_INVALID  there is no graph, or not the wanted one
 */
export function chooseGraph(files: ModelFiles, wanted: string | undefined): GraphChoice {
  const graphs = graphsInOrder(files);
  const [first] = graphs;
  if (first === undefined) {
    throw new SluiceError("MODEL_INVALID", `no .onnx file among ${files.size} files of the folder`, {
      hint: "Export one, for example with: optimum-cli export onnx --model CHECKPOINT DIR",
    });
  }
  const value = wanted ?? first;
  if (!graphs.includes(value)) {
    throw new SluiceError("MODEL_INVALID", `--graph: no ${value}; found ${graphs.join(", ")}`, {
      hint: say`Run: ${command`sluice model describe DIR --graph ${graphs[0] ?? "FILE"}`}`,
    });
  }
  return { graph: { value, source: sourceOf(wanted, graphs) }, others: graphs.filter((path) => path !== value) };
}

function sourceOf(wanted: string | undefined, graphs: readonly string[]): string {
  if (wanted !== undefined) return "--graph";
  return graphs.length === 1 ? "the only graph" : `first of ${graphs.length} graphs (order: ${graphOrder})`;
}
