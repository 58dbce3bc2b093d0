import type { Tensor } from "onnxruntime-node";
import { SluiceError } from "../../base/error.js";
import { fromFloat16 } from "../float16.js";
import type { Matrix } from "../protocol.js";

/** Values of an output, converted to float32 if the graph computes in float16; row-major. */
export interface FloatOutput {
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

/** @throws {SluiceError} MODEL_RUN_FAILED unless the output has one entry per row in its first dimension */
export function readFloats(output: Tensor | undefined, rows: number): FloatOutput {
  const values = output === undefined ? null : widen(output);
  if (output === undefined || values === null || output.dims[0] !== rows) {
    const found = output === undefined ? "nothing" : `${output.type} [${output.dims.join(", ")}]`;
    const message = `the model returned ${found}, expected float32 or float16 with ${rows} rows`;
    throw new SluiceError("MODEL_RUN_FAILED", message);
  }
  return { dims: output.dims, values };
}

/** float16 values arrive as bits, or as numbers if the JavaScript engine has a type for them. */
function widen({ type, data }: Tensor): Float32Array | null {
  if (data instanceof Float32Array) return data;
  if (type !== "float16") return null;
  return data instanceof Uint16Array ? fromFloat16(data) : Float32Array.from(data as Iterable<number>);
}

/**
 * A matrix with one row per entry; a flat list of numbers becomes one column. @throws {SluiceError} MODEL_RUN_FAILED
 */
export function toMatrix({ dims, values }: FloatOutput): Matrix {
  const [rows = 0, columns = 1] = dims;
  if (dims.length > 2) {
    throw new SluiceError("MODEL_RUN_FAILED", `the model returned [${dims.join(", ")}], expected a matrix`);
  }
  return { rows, columns, values };
}

/** @throws {SluiceError} MODEL_RUN_FAILED if a value is infinite or NaN */
export function requireFinite(matrix: Matrix): Matrix {
  const { values } = matrix;
  for (let i = 0; i < values.length; i += 1) {
    if (!Number.isFinite(values[i])) {
      throw new SluiceError("MODEL_RUN_FAILED", "the model output contains a number that is not finite");
    }
  }
  return matrix;
}
