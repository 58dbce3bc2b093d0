import { bool, float64, int32, tableFromArrays, tableToIPC, utf8 } from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { csvLine } from "../../datasets/tables/csv-line.js";
import { SluiceError } from "../../src/base/error.js";
import type { ExportColumn, ExportTable } from "./column.js";

/** Encoders of an exported table, by file extension. */
export const tableFormats = { ".arrow": arrowBytes, ".csv": csvBytes, ".parquet": parquetBytes } as const;

/** An Arrow IPC file; integers are int32, other numbers float64. */
function arrowBytes(table: ExportTable): Uint8Array {
  const arrays = table.map(({ name, values }): [string, unknown[]] => [name, [...values]]);
  const types = { text: utf8, number: float64, whole: int32, truth: bool } as const;
  const typed = Object.fromEntries(table.map(({ name, type }) => [name, types[type]()]));
  const bytes = tableToIPC(tableFromArrays(arrays, { types: typed }), { format: "file" });
  if (bytes === null) throw new SluiceError("INTERNAL", "the Arrow encoder returned no bytes");
  return bytes;
}

/** UTF-8 CSV with a header. A missing value is an empty cell; numbers are written in full precision. */
function csvBytes(table: ExportTable): Uint8Array {
  const rows = table[0]?.values.length ?? 0;
  const lines = Array.from({ length: rows }, (_, row) => csvLine(table.map(({ values }) => values[row] ?? null)));
  return Buffer.from(`${[csvLine(table.map(({ name }) => name)), ...lines].join("\n")}\n`, "utf8");
}

/** A Parquet file with Snappy compression. */
function parquetBytes(table: ExportTable): Uint8Array {
  const types = { text: "STRING", number: "DOUBLE", whole: "INT32", truth: "BOOLEAN" } as const;
  const columnData = table.map(({ name, type, values }: ExportColumn) => ({
    name,
    type: types[type],
    nullable: true,
    data: [...values],
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
