import type { Labels, MetricFamily } from "./exposition.js";

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
