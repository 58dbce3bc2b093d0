import { clusterSizeFelt } from "../../eval/stats/design-effect.js";
import { clopperPearsonUpper } from "../../src/base/numbers/clopper-pearson.js";
import { betaUpperTail } from "../../src/base/numbers/distributions.js";
import type { ClaimReading, TestedRow } from "../claim-reading.js";
import { FamilyTally } from "../family-tally.js";
import { passes } from "../stats/binomial-test.js";
import { type FoldRequests, outOfScopeFactor } from "./weighted-mix.js";

/** Routed requests of one side of the scope, and what their errors weigh. */
export interface WeightedSide {
  readonly routed: number;
  readonly errors: number;
  /** Sum over families of the squared number of errors. */
  readonly errorSquares: number;
  /** Expected number of near-copies of a random request, itself included, >= 1: they count as one. */
  readonly copies: number;
  /** Weight of a request in traffic, >= 0 and finite. */
  readonly weight: number;
}

type RoutedSide = Omit<WeightedSide, "weight">;

/** A binomial sample of the same precision as weighted errors. */
export interface EquivalentSample {
  /** Effective number of errors, at most `trials`. */
  readonly errors: number;
  /** Effective number of requests. */
  readonly trials: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The binomial sample behind a test of a weighted share of errors, after Fay and Feuer (1997): a gamma limit for
 * weighted sums of Poisson counts, here with the beta distribution of a binomial limit. One more error of the largest
 * weight is allowed for, so the test holds even if all errors are of the kind that weighs most. Without relatives and with
 * equal weights it is the exact binomial test.
 */
export function equivalentSample(sides: readonly WeightedSide[]): EquivalentSample {
  const routed = sum(sides.map((side) => side.weight * side.routed));
  const errors = sum(sides.map((side) => side.weight * side.errors));
  const squares = sum(sides.map((side) => side.weight ** 2 * side.errorSquares));
  const largest = Math.max(...sides.map((side) => side.weight * side.copies));
  const perTrial = Math.max(1, (squares + largest ** 2) / (errors + largest));
  const trials = routed / perTrial;
  return { errors: Math.min(trials, Math.max(0, (errors + largest) / perTrial - 1)), trials };
}

/**
 * Claim "fixed-catalog": the wrong share of the routes for the mix of all labelled requests, or for a declared share of
 * out-of-scope requests. Every labelled request counts. Near-copies, and the requests of an out-of-scope group, count as
 * one; requests that resemble each other count as fewer where their errors come together (docs/adr/0057).
 *
 * @param rows  routable requests of the claim
 * @param declaredShare  declared share of out-of-scope requests; null for the share among the labelled requests
 */
export function readAsFixedCatalog(
  rows: readonly TestedRow[],
  requests: FoldRequests,
  declaredShare: number | null,
): ClaimReading {
  const all = new FamilyTally(rows);
  for (const [row] of rows.entries()) all.add(row);
  const groups = [...requests.outOfScope.values()].map((trials) => ({ trials, events: 0 }));
  const insideCopies = all.copies(false);
  const outsideCopies = Math.max(1, clusterSizeFelt(groups), all.copies(true));
  const weight = declaredShare === null ? 1 : outOfScopeFactor(requests, declaredShare);
  if (weight === Number.POSITIVE_INFINITY) return noEvidence;
  const hasOutside = weight > 0 && (groups.length > 0 || rows.some((row) => row.outOfScope));
  const sidesOf = (inside: RoutedSide, outside: RoutedSide): readonly WeightedSide[] => [
    { ...inside, weight: 1 },
    ...(hasOutside ? [{ ...outside, weight }] : []),
  ];
  return ({ routed, families }) => {
    const sample = equivalentSample(
      sidesOf(
        { ...families.side(false), copies: Math.max(insideCopies, families.copies(false)) },
        { ...families.side(true), copies: Math.max(outsideCopies, families.copies(true)) },
      ),
    );
    /** Before labels are read, errors are assumed on both sides alike, each with all of its near-copies. */
    const sampleWith = (groups: number): EquivalentSample => {
      const each = hasOutside ? groups / 2 : groups;
      const of = (copies: number, side: number): RoutedSide => ({
        routed: side,
        errors: each * copies,
        errorSquares: each * copies ** 2,
        copies,
      });
      return equivalentSample(sidesOf(of(insideCopies, routed), of(outsideCopies, 0)));
    };
    return {
      design_effect: sample.trials === 0 ? 1 : Math.max(1, routed / sample.trials),
      planned: sampleWith(0).trials,
      canPass: (errors, { target, delta }) => passes(pValueOf(sampleWith(errors), target), delta),
      judge: ({ target, delta }) => ({
        pValue: pValueOf(sample, target),
        upperBound: clopperPearsonUpper(sample.errors, sample.trials, delta),
      }),
    };
  };
}

/** A share that was declared and has no labelled request. */
const noEvidence: ClaimReading = () => ({
  design_effect: 1,
  planned: 0,
  canPass: () => false,
  judge: () => ({ pValue: 1, upperBound: 1 }),
});

const pValueOf = ({ errors, trials }: EquivalentSample, target: number): number =>
  trials - errors <= 0 ? 1 : betaUpperTail(target, errors + 1, trials - errors);
