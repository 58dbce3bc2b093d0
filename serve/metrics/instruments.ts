import type { Labels, MetricFamily, Sample } from "./exposition.js";

interface Series {
  readonly labels: Labels;
  /**
   * Number of values per bucket: each value counts at the first limit that it does not exceed. The last element counts
   * values above all limits.
   */
  readonly counts: number[];
  sum: number;
}

/** Counts values in buckets with upper limits, per combination of label values. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #limits: readonly number[];
  readonly #series = new Map<string, Series>();

  /**
   * @param limits  inclusive upper limits, ascending
   */
  constructor(name: string, help: string, limits: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#limits = limits;
  }

  /** Label names must be the same, in the same order, in every call. */
  observe(labels: Labels, value: number): void {
    const series = this.#seriesOf(labels);
    const found = this.#limits.findIndex((limit) => value <= limit);
    const place = found === -1 ? this.#limits.length : found;
    series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.sum += value;
  }

  family(): MetricFamily {
    const samples = [...this.#series.values()].flatMap(({ labels, counts, sum }) =>
      histogramSamples(labels, this.#limits, counts, sum),
    );
    return { name: this.#name, help: this.#help, type: "histogram", samples };
  }

  #seriesOf(labels: Labels): Series {
    const key = Object.values(labels).join("\u0000");
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = { labels, counts: Array.from({ length: this.#limits.length + 1 }, () => 0), sum: 0 };
    this.#series.set(key, series);
    return series;
  }
}

/**
 * Samples of one series: cumulative counts up to each limit, sum and count.
 * @param counts  one per limit, and one for values above all limits
 */
export function histogramSamples(
  labels: Labels,
  limits: readonly number[],
  counts: readonly number[],
  sum: number,
): readonly Sample[] {
  let total = 0;
  const buckets = [...limits, Number.POSITIVE_INFINITY].map((limit, index) => {
    total += counts[index] ?? 0;
    const le = limit === Number.POSITIVE_INFINITY ? "+Inf" : String(limit);
    return { suffix: "_bucket", labels: { ...labels, le }, value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}

/** A metric that only increases, with one count per combination of label values. */
export class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  /** @param name  ends in `_total` */
  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** Label names must be the same, in the same order, in every call. */
  add(labels: Labels, amount = 1): void {
    const key = Object.values(labels).join("\u0000");
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, value: amount });
    else known.value += amount;
  }

  family(): MetricFamily {
    return { name: this.#name, help: this.#help, type: "counter", samples: [...this.#counts.values()] };
  }
}
