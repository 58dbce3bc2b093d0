import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { SluiceError } from "../../../src/base/error.js";
import type { SourceFile } from "../../importers/imported-dataset.js";
import type { Grid } from "./grid.js";

/** Whether the bytes begin like a Parquet file. */
export const isParquet = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PAR1";

/**
 * Reads a Parquet file; its first row names the columns, and the others are numbered from 1.
 * @throws {SluiceError} DOCUMENT_INVALID  damaged, or compressed with a codec that cannot be read
 */
export async function readParquet({
  file,
  bytes,
}: SourceFile): Promise<{ readonly grid: Grid; readonly about: unknown }> {
  try {
    const own = Uint8Array.from(bytes).buffer;
    const metadata = parquetMetadata(own);
    const columns = parquetSchema(metadata).children.map((child) => child.element.name);
    const buffer = { byteLength: own.byteLength, slice: (from: number, to?: number) => own.slice(from, to) };
    const records = await parquetReadObjects({ file: buffer, metadata, compressors });
    const rows = records.map((record, index) => ({
      at: `row ${index + 1}`,
      cells: columns.map((column) => record[column]),
    }));
    const grid = { file, rows: [{ at: "the schema", cells: columns }, ...rows] };
    return { grid, about: jsonOrNothing(metadata.key_value_metadata?.find(({ key }) => key === "huggingface")?.value) };
  } catch (cause) {
    // Only messages about the format are safe to show; others can quote values.
    const why = cause instanceof Error && /^(parquet|thrift)/.test(cause.message) ? cause.message : "damaged";
    throw new SluiceError("DOCUMENT_INVALID", `${file}: cannot be read as Parquet (${why})`, {
      hint: "Write the file again with another codec, for example Snappy or Zstandard.",
      cause,
    });
  }
}

/** What the program that wrote the file says about its columns, if it is JSON. */
function jsonOrNothing(text: string | undefined): unknown {
  try {
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}
