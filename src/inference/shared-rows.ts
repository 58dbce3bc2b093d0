/** What is used of WebAssembly, which the types of Node leave out. */
interface RowMemory {
  readonly buffer: SharedArrayBuffer;
  /** @returns the pages before */
  grow(pages: number): number;
}
interface ProductsInstance {
  readonly exports: {
    /** Byte positions; `end` is the first one after the products. */
    readonly products: (vector: number, row: number, bytesOfRow: number, out: number, end: number) => void;
  };
}
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => RowMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { shared: { memory: RowMemory } }) => ProductsInstance;
};

/** Rows of a matrix that any thread can read: what one thread sends to another. */
export interface RowsToShare {
  readonly memory: RowMemory;
  readonly rows: number;
  readonly columns: number;
}

const pageBytes = 65_536;
const floatBytes = Float32Array.BYTES_PER_ELEMENT;
const mostPages = 65_536;

/** What the compiler of the WebAssembly text format makes of products.wat; a test compares. */
export const productsProgram = Buffer.from(
  "AGFzbQEAAAABCQFgBX9/f39/AAIVAQZzaGFyZWQGbWVtb3J5AgMBgIAEAwIBAAcMAQhwcm9kdWN0cwAACoECAf4BAwF/AX0CewNAQQAhBUMAAAAAIQb9" +
    "DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACEIIAJBIE8EQANAIAcgACAFav0ABAAgASAFav0ABAD95gH95AEhByAIIAAgBWr9" +
    "AAQQIAEgBWr9AAQQ/eYB/eQBIQggBUEgaiEFIAVBIGogAk0NAAsLIAUgAkkEQANAIAYgACAFaioCACABIAVqKgIAlJIhBiAFQQRqIQUgBSACSQ0A" +
    "CwsgByAI/eQBIQcgAyAGIAf9HwAgB/0fAZIgB/0fAiAH/R8DkpKSOAIAIAEgAmohASADQQRqIQMgAyAESQ0ACws=",
  "base64",
);
const program = new WebAssembly.Module(productsProgram);

/** A float32 matrix in memory that threads share, and the inner products of its rows with a vector. */
export class SharedRows {
  readonly rows: number;
  readonly columns: number;
  /** Shape (rows, columns), row-major. */
  readonly values: Float32Array;
  readonly toShare: RowsToShare;
  /** Made on the first use: only threads that compare texts need one. */
  private area: ProductArea | null = null;

  constructor(toShare: RowsToShare) {
    const { memory, rows, columns } = toShare;
    this.toShare = toShare;
    this.rows = rows;
    this.columns = columns;
    this.values = new Float32Array(memory.buffer, 0, rows * columns);
  }

  /** All zero. */
  static ofSize(rows: number, columns: number): SharedRows {
    const initial = Math.max(1, pagesOf(rows * columns));
    return new SharedRows({
      memory: new WebAssembly.Memory({ initial, maximum: mostPages, shared: true }),
      rows,
      columns,
    });
  }

  row(place: number): Float32Array {
    return this.values.subarray(place * this.columns, (place + 1) * this.columns);
  }

  /**
   * Inner product of the vector with each row from `from` to before `to`.
   * @param into  the products are written from the beginning on
   */
  products(vector: Float32Array, from: number, to: number, into: Float32Array): void {
    if (from >= to) return;
    this.area ??= new ProductArea(this.toShare);
    this.area.products(vector, from, to, into);
  }
}

/** Room of one thread behind the rows: a vector, then as many products as there are rows. */
class ProductArea {
  private readonly run: ProductsInstance["exports"]["products"];
  private readonly vector: Float32Array;
  private readonly found: Float32Array;

  constructor({ memory, rows, columns }: RowsToShare) {
    const start = memory.grow(pagesOf(columns + rows)) * pageBytes;
    this.vector = new Float32Array(memory.buffer, start, columns);
    this.found = new Float32Array(memory.buffer, start + columns * floatBytes, rows);
    this.run = new WebAssembly.Instance(program, { shared: { memory } }).exports.products;
  }

  products(vector: Float32Array, from: number, to: number, into: Float32Array): void {
    this.vector.set(vector);
    const out = this.found.byteOffset;
    const bytesOfRow = this.vector.byteLength;
    this.run(this.vector.byteOffset, from * bytesOfRow, bytesOfRow, out, out + (to - from) * floatBytes);
    into.set(this.found.subarray(0, to - from));
  }
}

const pagesOf = (floats: number): number => Math.ceil((floats * floatBytes) / pageBytes);
