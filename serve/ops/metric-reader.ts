import type { Labels, MetricFamily, Sample } from "../metrics/exposition.js";

/** Reads what a scrape would show. */
export interface MetricReader {
  /** Samples of a family; empty when it is not there. */
  samples(name: string): readonly Sample[];
  /** Sum of the samples that have these labels; null when there are none. */
  sum(name: string, labels?: Labels): number | null;
}

/** A reader of the families that `GET /metrics` writes. */
export function metricReader(families: readonly MetricFamily[]): MetricReader {
  const byName = new Map(families.map(({ name, samples }) => [name, samples]));
  const samples = (name: string): readonly Sample[] => byName.get(name) ?? [];
  return {
    samples,
    sum(name, labels = {}) {
      const found = samples(name).filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
    },
  };
}
