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
  /** A value was given that does not fit. */
  readonly refused?: true;
}

export type Derived<T> = Sourced<T> | Missing;

/** A value from the command line that does not fit. @param flag  what would fit */
export const refused = (missing: string, flag: string): Missing => ({ missing, flag, refused: true });

/** What is wrong with a field, and what settles it, in words. */
export function missingText({ missing, flag, refused: wasGiven }: Missing): string {
  return wasGiven === true ? `${missing}; expected ${flag}` : `${missing}; give ${flag}`;
}

export const isMissing = <T>(derived: Derived<T>): derived is Missing => "missing" in derived;
