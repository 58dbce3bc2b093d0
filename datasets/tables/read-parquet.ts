import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { SluiceError } from "../../src/base/error.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import type { Table } from "./table.js";

/**
 * Reads a Parquet file; rows are numbered from 1. 64-bit integers become texts, because they may be ids.
 * @throws {SluiceError} DOCUMENT_INVALID  not a Parquet file, damaged, or compressed with a codec that cannot be read
 */
export async function readParquet({ file, bytes }: SourceFile): Promise<Table> {
  try {
    const own = Uint8Array.from(bytes).buffer;
    const metadata = parquetMetadata(own);
    const columns = parquetSchema(metadata).children.map((child) => child.element.name);
    const buffer = { byteLength: own.byteLength, slice: (from: number, to?: number) => own.slice(from, to) };
    const records = await parquetReadObjects({ file: buffer, metadata, compressors });
    const rows = records.map((record, index) => ({
      at: `row ${index + 1}`,
      cells: new Map(Object.entries(record).map(([name, value]) => [name, plainValue(value)])),
    }));
    return { file, columns, rows };
  } catch (cause) {
    // Only messages about the format are safe to show; others can quote values.
    const why = cause instanceof Error && /^(parquet|thrift)/.test(cause.message) ? cause.message : "damaged";
    throw new SluiceError("DOCUMENT_INVALID", `${file}: cannot be read as Parquet (${why})`, {
      hint: "Write the file again with another codec, for example Snappy or Zstandard.",
      cause,
    });
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return Array.isArray(value) ? value.map(plainValue) : value;
}
