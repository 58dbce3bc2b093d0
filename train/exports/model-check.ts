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
