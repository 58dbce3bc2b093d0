/** A minimal writer of Parquet files (one row group, PLAIN pages), because no dependency writes them. */
import { gzipSync } from "node:zlib";

type Cell = string | null | bigint;

/** Field of a Thrift struct in the compact protocol; fields are written in ascending order. */
type Field = readonly [id: number, type: "i32" | "i64" | "text" | "list" | "struct", value: Buffer];

const typeCodes = { i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const;

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

const number = (value: number): Buffer => varint(BigInt(value) * 2n);
const text = (value: string): Buffer => Buffer.concat([varint(BigInt(Buffer.byteLength(value))), Buffer.from(value)]);
const list = (type: keyof typeof typeCodes, items: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([(items.length << 4) | typeCodes[type]]), ...items]);

function struct(...fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.map(([id, type, value]) => {
    const header = Buffer.from([((id - last) << 4) | typeCodes[type]]);
    last = id;
    return Buffer.concat([header, value]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

const little32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const little64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};

/** Definition levels as runs of one value each, then the values that are not null. */
function pageContent(cells: readonly Cell[]): Buffer {
  const levels = Buffer.concat(cells.map((cell) => Buffer.from([2, cell === null ? 0 : 1])));
  const values = cells.flatMap((cell) => {
    if (cell === null) return [];
    return typeof cell === "bigint" ? [little64(cell)] : [little32(Buffer.byteLength(cell)), Buffer.from(cell)];
  });
  return Buffer.concat([little32(levels.length), levels, ...values]);
}

/** A Zstandard frame of one stored block, for less than 256 bytes (RFC 8878). */
function storedZstandard(content: Buffer): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, content.length]), block, content]);
}

/** A file with optional columns of texts or of 64-bit whole numbers. @param codec  0 uncompressed, 2 GZIP, 3 LZO (marked only), 6 ZSTD */
export function parquetFile(columns: Readonly<Record<string, readonly Cell[]>>, codec: 0 | 2 | 3 | 6 = 0): Buffer {
  const names = Object.keys(columns);
  const rows = Object.values(columns)[0]?.length ?? 0;
  const typeOf = (name: string): number => (typeof columns[name]?.[0] === "bigint" ? 2 : 6);
  const chunks: Buffer[] = [Buffer.from("PAR1")];
  const metadata = names.map((name) => {
    const offset = Buffer.concat(chunks).length;
    const content = pageContent(columns[name] ?? []);
    const stored = codec === 2 ? gzipSync(content) : codec === 6 ? storedZstandard(content) : content;
    const page = struct([1, "i32", number(rows)], [2, "i32", number(0)], [3, "i32", number(3)], [4, "i32", number(3)]);
    const sizes: readonly Field[] = [
      [2, "i32", number(content.length)],
      [3, "i32", number(stored.length)],
    ];
    const header = struct([1, "i32", number(0)], ...sizes, [5, "struct", page]);
    chunks.push(header, stored);
    const column = struct(
      [1, "i32", number(typeOf(name))],
      [2, "list", list("i32", [number(0), number(3)])],
      [3, "list", list("text", [text(name)])],
      [4, "i32", number(codec)],
      [5, "i64", number(rows)],
      [6, "i64", number(header.length + content.length)],
      [7, "i64", number(header.length + stored.length)],
      [9, "i64", number(offset)],
    );
    return struct([2, "i64", number(offset)], [3, "struct", column]);
  });
  const elements = names.map((name) => {
    const kind: readonly Field[] = typeOf(name) === 6 ? [[6, "i32", number(0)]] : [];
    return struct([1, "i32", number(typeOf(name))], [3, "i32", number(1)], [4, "text", text(name)], ...kind);
  });
  const root = struct([4, "text", text("schema")], [5, "i32", number(names.length)]);
  const size = Buffer.concat(chunks).length;
  const group = struct([1, "list", list("struct", metadata)], [2, "i64", number(size)], [3, "i64", number(rows)]);
  const footer = struct(
    [1, "i32", number(1)],
    [2, "list", list("struct", [root, ...elements])],
    [3, "i64", number(rows)],
    [4, "list", list("struct", [group])],
  );
  return Buffer.concat([...chunks, footer, little32(footer.length), Buffer.from("PAR1")]);
}
