import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bonferroni, fallback, graphicalRejections, holm } from "../../../src/stats/family-wise.js";
import { oracle } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";

interface Ltt {
  readonly fwer: {
    readonly p: readonly number[];
    readonly delta: number;
    readonly bonferroni: readonly number[];
    readonly holm: readonly number[];
    readonly fixed_sequence: readonly number[];
    readonly fallback_weights: readonly number[];
    readonly fallback: readonly number[];
    readonly graph_example: {
      readonly p: readonly number[];
      readonly weights: readonly number[];
      readonly G: readonly (readonly number[])[];
      readonly rejected: readonly number[];
    };
  };
}

const test = suite("src/stats/family-wise");

testWithShared(test, "every procedure rejects what the reference rejects", () => {
  const { fwer } = oracle<Ltt>("ltt.json");
  assert.equal(bonferroni(fwer.p, fwer.delta), fwer.bonferroni);
  assert.equal(holm(fwer.p, fwer.delta), fwer.holm);
  assert.equal(fallback(fwer.p, fwer.fallback_weights, fwer.delta), fwer.fallback);
  assert.equal(fallback(fwer.p, [1], fwer.delta), fwer.fixed_sequence);
  const { p, weights, G, rejected } = fwer.graph_example;
  assert.equal(graphicalRejections(p, { weights, transfer: G }, fwer.delta), rejected);
});

test("a graph that passes everything on is the fixed sequence, and Holm is the graph of equal weights", () => {
  const p = [0.01, 0.04, 0.2, 0.001];
  const chain = p.map((_, i) => p.map((__, j) => (j === i + 1 ? 1 : 0)));
  assert.equal(graphicalRejections(p, { weights: [1, 0, 0, 0], transfer: chain }, 0.05), [0, 1]);
  const equal = p.map((_, i) => p.map((__, j) => (i === j ? 0 : 1 / (p.length - 1))));
  const weights = p.map(() => 1 / p.length);
  assert.equal(graphicalRejections(p, { weights, transfer: equal }, 0.05), holm(p, 0.05));
});

test("nothing is rejected at a level that no p-value meets, everything when all are 0", () => {
  assert.equal(holm([0.5, 0.6], 0.05), []);
  assert.equal(holm([0, 0], 0.05), [0, 1]);
  assert.equal(bonferroni([], 0.05), []);
});

test.run();
