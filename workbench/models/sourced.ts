/** A value of a model's description, and where it comes from: a file of the export, a flag, or `assumed: ...`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value that the export leaves undetermined; it has no default. */
export interface Missing {
  /** What was found, and why it does not determine the value. */
  readonly missing: string;
  /** The flag that sets it, with its choices. */
  readonly flag: string;
}

export type Derived<T> = Sourced<T> | Missing;

export const isMissing = <T>(derived: Derived<T>): derived is Missing => "missing" in derived;
