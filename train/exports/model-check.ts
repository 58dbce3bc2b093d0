/** `note`: for information, not a fault. */
export type CheckStatus = "ok" | "failed" | "note";

/** One comparison of a model's description with its files or with the runtime. */
export interface ModelCheck {
  readonly name: string;
  readonly status: CheckStatus;
  readonly found: string;
  /** The expected value; null if there is nothing to compare with. */
  readonly expected: string | null;
}

export const ok = (name: string, found: string, expected: string | null = null): ModelCheck => ({
  name,
  status: "ok",
  found,
  expected,
});

export const failed = (name: string, found: string, expected: string): ModelCheck => ({
  name,
  status: "failed",
  found,
  expected,
});

export const note = (name: string, found: string, expected: string | null = null): ModelCheck => ({
  name,
  status: "note",
  found,
  expected,
});

/** Formats a numeric difference with two significant digits, e.g. 3.8e-6. */
export const spreadText = (difference: number): string => (difference === 0 ? "0" : difference.toExponential(1));

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
