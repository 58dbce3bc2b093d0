/** Runs one round and returns a number in the unit of the figure. */
export type Round = () => Promise<number>;

/** A floor is the minimum cost of the work; a peer is another program that does comparable work. */
export type ReferenceRole = "floor" | "peer";

/** A reference that is measured in the same rounds as a figure. */
export interface Reference {
  readonly role: ReferenceRole;
  readonly name: string;
  readonly round: Round;
}

/** One measured quantity of Sluice, with its floors and peers. */
export interface Figure {
  /** Unique among all benches, for example `scoring/side-by-side`; identifies the figure across runs. */
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly round: Round;
  readonly references: readonly Reference[];
  /** If the figure is a point of a curve: the varied quantity and its value. */
  readonly point?: { readonly of: string; readonly at: number };
}

/** A group of figures with a shared setup. */
export interface Bench {
  readonly name: string;
  /** One sentence about the bench, for the page. */
  readonly about: string;
  /** Performs the setup. */
  open(): Promise<OpenBench>;
}

/** A bench after its setup. */
export interface OpenBench {
  readonly figures: readonly Figure[];
  /** Figures that cannot be measured on this machine, and why. */
  readonly absent?: readonly string[];
  readonly close: () => Promise<void>;
}

/** Median, minimum and maximum of the rounds. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Median, minimum and maximum of numbers; NaN for an empty list. */
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
