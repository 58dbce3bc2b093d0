import { SharedMemory, type WasmMemory } from "./shared-memory.js";

/** The rows of a matrix in a form that can be sent to another thread. */
export interface RowsToShare {
  readonly memory: WasmMemory;
  /** Shape (rows, columns), in that memory. */
  readonly values: Float32Array;
  readonly columns: number;
}

/** A float32 matrix in shared memory, and the inner products of its rows with a vector. */
export class SharedRows {
  readonly rows: number;
  readonly columns: number;
  /** Shape (rows, columns), row-major. */
  readonly values: Float32Array;
  readonly memory: SharedMemory;
  /** Space for a vector and for products; allocated on first use, because only threads that compare texts need it. */
  private vector: Float32Array | null = null;
  private found: Float32Array | null = null;

  constructor({ values, columns }: Pick<RowsToShare, "values" | "columns">, memory: SharedMemory) {
    this.memory = memory;
    this.rows = columns === 0 ? 0 : values.length / columns;
    this.columns = columns;
    this.values = values;
  }

  /** Creates a matrix of zeros. */
  static ofSize(rows: number, columns: number, memory = new SharedMemory()): SharedRows {
    return new SharedRows({ values: memory.float32(rows * columns), columns }, memory);
  }

  get toShare(): RowsToShare {
    return { memory: this.memory.toShare, values: this.values, columns: this.columns };
  }

  row(place: number): Float32Array {
    return this.values.subarray(place * this.columns, (place + 1) * this.columns);
  }

  /**
   * Computes the inner product of the vector with each row from `from` (inclusive) to `to` (exclusive).
   * @param into  receives the products, starting at its first element
   */
  products(vector: Float32Array, from: number, to: number, into: Float32Array): void {
    this.found ??= this.memory.float32(this.rows);
    this.writeProducts(vector, from, to, this.found);
    into.set(this.found.subarray(0, Math.max(0, to - from)));
  }

  /** Like `products`. @param into  array in the shared memory */
  writeProducts(vector: Float32Array, from: number, to: number, into: Float32Array): void {
    if (from >= to) return;
    this.vector ??= this.memory.float32(this.columns);
    this.vector.set(vector);
    const { byteOffset, byteLength } = this.vector;
    const row = this.values.byteOffset + from * byteLength;
    const end = into.byteOffset + (to - from) * Float32Array.BYTES_PER_ELEMENT;
    this.memory.kernels.products(byteOffset, row, byteLength, into.byteOffset, end);
  }
}
