/** A square matrix whose row r has the columns and values starts[r] to starts[r + 1]. */
export interface SparseMatrix {
  readonly size: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
}
