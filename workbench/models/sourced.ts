/** A value of a model's description, and where it comes from: a file of the export, a flag, or `assumed: ...`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value that the export does not say clearly; nothing is put in its place. */
export interface Missing {
  /** What was found, and why it does not settle the value. */
  readonly missing: string;
  /** The flag that settles it, with its choices. */
  readonly flag: string;
}

export type Derived<T> = Sourced<T> | Missing;

export const isMissing = <T>(derived: Derived<T>): derived is Missing => "missing" in derived;
