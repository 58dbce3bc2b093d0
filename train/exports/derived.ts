/** A value of a model's description and its source: a file of the export, a flag, or `assumed: ...`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value that the export does not determine and that has no default. */
export interface Missing {
  /** The findings, and why they do not determine the value. */
  readonly missing: string;
  /** The flag that sets it, with its choices. */
  readonly flag: string;
  /** The given value is invalid. */
  readonly refused?: true;
}

export type Derived<T> = Sourced<T> | Missing;

/** An invalid value from the command line. @param flag  the flag and its valid values */
export const refused = (missing: string, flag: string): Missing => ({ missing, flag, refused: true });

export function missingText({ missing, flag, refused: wasGiven }: Missing): string {
  return wasGiven === true ? `${missing}; expected ${flag}` : `${missing}; give ${flag}`;
}

export const isMissing = <T>(derived: Derived<T>): derived is Missing => "missing" in derived;
