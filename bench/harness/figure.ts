/** What one round of a variant gives: a number in the unit of its figure. */
export type Round = () => Promise<number>;

/** A floor is the least that the work can cost; a peer is another program that does comparable work. */
export type ReferenceRole = "floor" | "peer";

/** What a figure is compared with in the same rounds. */
export interface Reference {
  readonly role: ReferenceRole;
  readonly name: string;
  readonly round: Round;
}

/** One quantity of Sluice with the floors and peers that are measured next to it. */
export interface Figure {
  /** Unique over all benches, for example `scoring/side-by-side`; results of different days are compared by it. */
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly round: Round;
  readonly references: readonly Reference[];
  /** For a figure that is one point of a curve: the quantity that grows, and its value here. */
  readonly point?: { readonly of: string; readonly at: number };
}

/** A group of figures that share what they need. */
export interface Bench {
  readonly name: string;
  /** One sentence for readers of the page. */
  readonly about: string;
  /** Builds what the figures need. */
  open(): Promise<OpenBench>;
}

/** A bench that is ready to be measured. */
export interface OpenBench {
  readonly figures: readonly Figure[];
  /** What could not be measured here, and why. */
  readonly absent?: readonly string[];
  readonly close: () => Promise<void>;
}

/** Median and spread of the rounds. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Median, smallest and largest of some numbers; NaN for none. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (place: number): number => sorted[place] ?? Number.NaN;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(0),
    high: at(sorted.length - 1),
  };
}
