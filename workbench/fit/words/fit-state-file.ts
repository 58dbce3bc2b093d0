import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "typebox";
import { matchesSchema } from "../../../src/domain/check-schema.js";
import { closed, CountSchema } from "../../../src/domain/primitives.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { FitCheckpoint, FitState } from "./fit-state.js";

/**
 * One file for each fit in a folder, which need not exist: a line of JSON (steps, values of one array, number of
 * losses), then values, mean and square as float32 and the losses as float64, little-endian. A truncated file counts
 * as missing. Writes are atomic.
 */
export function fitStateFolder(folder: string): FitCheckpoint {
  const pathOf = (identity: string): string => join(folder, `${identity}.fit`);
  return {
    async read(identity) {
      const bytes = await readFile(pathOf(identity)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === "ENOENT") return Buffer.alloc(0);
        throw new SluiceError("READ_FAILED", `${pathOf(identity)}: the state of the fit cannot be read`, { cause });
      });
      return stateOf(bytes);
    },
    async write(identity, state) {
      const path = pathOf(identity);
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(`${path}.partial`, bytesOf(state));
        await rename(`${path}.partial`, path);
      } catch (cause) {
        await rm(`${path}.partial`, { force: true });
        throw new SluiceError("WRITE_FAILED", `${path}: the state of the fit cannot be saved`, { cause });
      }
    },
  };
}

const HeaderSchema = Type.Object({ steps: CountSchema, size: CountSchema, losses: CountSchema }, closed);

function bytesOf({ steps, values, mean, square, losses }: FitState): Buffer {
  const header: Static<typeof HeaderSchema> = { steps, size: values.length, losses: losses.length };
  const arrays = [values, mean, square, Float64Array.from(losses)];
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...arrays.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}

function stateOf(bytes: Buffer): FitState | null {
  const end = bytes.indexOf("\n");
  if (end < 0) return null;
  const header: unknown = JSON.parse(bytes.toString("utf8", 0, end));
  if (!matchesSchema(HeaderSchema, header)) return null;
  const { steps, size, losses } = header;
  const floats = size * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length !== end + 1 + 3 * floats + losses * Float64Array.BYTES_PER_ELEMENT) return null;
  const part = (from: number, length: number): ArrayBuffer => {
    const copy = new Uint8Array(bytes.subarray(end + 1 + from, end + 1 + from + length));
    return copy.buffer;
  };
  return {
    steps,
    values: new Float32Array(part(0, floats)),
    mean: new Float32Array(part(floats, floats)),
    square: new Float32Array(part(2 * floats, floats)),
    losses: [...new Float64Array(part(3 * floats, losses * Float64Array.BYTES_PER_ELEMENT))],
  };
}
