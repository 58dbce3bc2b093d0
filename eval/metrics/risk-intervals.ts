import type { Band, MethodInterval } from "../../src/documents/evaluation.js";
import type { Rate } from "../../src/documents/rate.js";
import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { type ClusterCount, clusterRatio } from "../stats/design-effect.js";
import { kornGraubard } from "../stats/korn-graubard.js";
import { wilson } from "../stats/wilson.js";

const confidence = 0.95;

/**
 * Two-sided 95 % intervals of one clustered rate by every method, with a note on when to use each. The first method
 * that respects clusters is shown elsewhere too; the two that ignore them show how much clustering widens the interval.
 * @param rate  computed from these counts
 * @param band  cluster bootstrap of the same rate
 */
export function intervalsByMethod(
  counts: readonly ClusterCount[],
  rate: Rate,
  band: Band | null,
): readonly MethodInterval[] {
  const { k, n } = rate;
  const korn = kornGraubard(counts, confidence);
  const ratio = clusterRatio(counts, confidence).interval;
  const none = { lower: null, upper: null };
  return [
    { method: "cp-neff", assumes: "correlation", ...(n === 0 ? none : ends(rate)) },
    { method: "korn-graubard", assumes: "random draw", ...(korn === null ? none : ends(korn)) },
    { method: "cluster-t", assumes: "many clusters", ...(ratio === null ? none : clipped(ratio)) },
    { method: "cluster-bootstrap", assumes: "many clusters", ...(band === null ? none : ends(band)) },
    {
      method: "clopper-pearson",
      assumes: "independence",
      ...(n === 0 ? none : clopperPearson(k, n, confidence)),
    },
    { method: "wilson", assumes: "independence", ...(n === 0 ? none : wilson(k, n, confidence)) },
  ];
}

type Ends = Pick<MethodInterval, "lower" | "upper">;
const ends = ({ lower, upper }: Ends): Ends => ({ lower, upper });
const clipped = ({ lower, upper }: { readonly lower: number; readonly upper: number }): Ends => ({
  lower: Math.max(0, lower),
  upper: Math.min(1, upper),
});
