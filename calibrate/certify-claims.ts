import type { Claim, TestStep } from "../src/domain/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/domain/choices.js";
import type { ClaimReading, RiskTest } from "./claim-reading.js";
import { readAsRequests } from "./claims/fixed-catalog.js";
import { type FoldRequests, readAsFixedMix, readAsMix } from "./claims/weighted-mix.js";
import { boundedFullCoverageIcc } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import {
  certifyPath,
  controlExpectedRisk,
  countRungs,
  hasEnoughWorkflows,
  type LooserTargets,
  looserSteps,
  newWorkflows,
  type Rung,
  startOf,
  type StartChoice,
  targetOf,
  type TestedPath,
  thresholdPath,
} from "./rule.js";

/** Largest wrong share of one tier by itself, for the tiers that must hold by themselves; each in (0, 1). */
export type RequiredTiers = Readonly<Partial<Record<RiskTier, number>>>;

/** The claims and their tests. Fixed before a label is read. */
export interface Certification {
  readonly claim: ClaimKind;
  /** Largest wrong share of the routed requests, in (0, 1). */
  readonly target: number;
  readonly requiredTiers: RequiredTiers;
  /** Probability that any claim is wrong, in (0, 1). */
  readonly delta: number;
  /** Which calibration of these labels it is; null: the only one. */
  readonly attempt: number | null;
  readonly startErrors: readonly number[];
  readonly startIcc: number;
  /** Looser targets of the overall claim, tested before its own; see rule.ts. */
  readonly looser: LooserTargets;
  /** The tested requests were scored with their families left out of the examples. */
  readonly leftOut: boolean;
  /** Declared share of out-of-scope requests; null certifies the mix of the tested requests. */
  readonly declaredShare: number | null;
}

/** A claim to test: its scope, target and level. */
export interface StatedClaim {
  readonly scope: Claim["scope"];
  readonly tiers: readonly RiskTier[];
  readonly test: RiskTest;
}

/** A tested claim with its evidence. */
export interface TestedClaim extends StatedClaim {
  /** Tested requests that some threshold would route to the claim's tiers. */
  readonly requests: number;
  /** Correlation of errors inside a workflow that the tests used; null where each request counts. */
  readonly icc: number | null;
  /** The same over all tiers. */
  readonly pooledIcc: number;
  readonly path: readonly Rung[];
  readonly tested: TestedPath;
  /** A reason that forbids certification, whatever the tests say. Default: none. */
  readonly refused?: "RISK_RISES_WITH_SCORE";
}

/** Scored requests: the routable ones, and all requests of each cluster. */
export interface TestedRequests {
  readonly rows: readonly RoutableRow[];
  readonly requests: FoldRequests;
}

/** A claim without its level. */
type UnlevelledClaim = Omit<StatedClaim, "test"> & { readonly target: number };

/**
 * The claims of a calibration. A tier that must hold by itself has its own claim and is excluded from the overall
 * claim, so that neither affects the other.
 */
function claimsOf({ claim, target, requiredTiers }: Certification): readonly UnlevelledClaim[] {
  const alone = claim === "expected-joint-risk" ? [] : riskTiers.filter((tier) => requiredTiers[tier] !== undefined);
  const together = riskTiers.filter((tier) => !alone.includes(tier));
  return [
    ...(together.length === 0 ? [] : [{ scope: "overall" as const, tiers: together, target }]),
    ...alone.map((tier) => ({ scope: tier, tiers: [tier], target: requiredTiers[tier] ?? target })),
  ];
}

/** The level of each claim: half of delta for the overall claim, the other half divided over the tiers with their own. */
function withLevels(claims: readonly UnlevelledClaim[], delta: number): readonly StatedClaim[] {
  const alone = claims.filter(({ scope }) => scope !== "overall").length;
  const share = alone > 0 && alone < claims.length ? 0.5 : 1;
  return claims.map(({ target, ...claim }) => ({
    ...claim,
    test: { target, delta: claim.scope === "overall" ? delta * share : (delta * share) / alone },
  }));
}

/** The claims with all of delta divided among them. */
export const statedClaims = (certification: Certification): readonly StatedClaim[] =>
  withLevels(claimsOf(certification), certification.delta);

/**
 * The same where some claims have too few requests or workflows to be tested at all. Their share of delta goes to the
 * others, one claim at a time, tiers before the overall claim. Whether a claim can start depends on scores and counts
 * and on no label, so that the levels are settled before the tests.
 *
 * @param canStart  whether a claim can be tested at its level
 */
export function testableClaims(
  certification: Certification,
  canStart: (stated: StatedClaim) => boolean,
): readonly StatedClaim[] {
  const all = claimsOf(certification);
  let left = all;
  for (;;) {
    const levelled = withLevels(left, certification.delta);
    const hopeless = levelled.findLast((stated) => !canStart(stated));
    if (hopeless === undefined) return levelled;
    left = left.filter(({ scope }) => scope !== hopeless.scope);
  }
}

function readingOf(certification: Certification, requests: FoldRequests, icc: number): ClaimReading {
  const { claim, startIcc, declaredShare } = certification;
  if (claim === "expected-joint-risk") return readAsJointRisk(new Map([...requests.inScope, ...requests.outOfScope]));
  if (claim === "fixed-catalog") {
    return declaredShare === null ? readAsRequests : readAsFixedMix(requests, declaredShare);
  }
  const correlation = { icc, startIcc };
  return declaredShare === null ? newWorkflows(correlation) : readAsMix(requests, declaredShare, correlation);
}

/** Counts of a claim, which depend on its tiers but not on its level. */
interface Counted extends Pick<TestedClaim, "requests" | "pooledIcc" | "path"> {
  readonly icc: number;
}

/** The thresholds of every claim, and the correlation over all tiers. */
const sharedBy = ({ rows }: TestedRequests) => ({
  path: thresholdPath(rows.map(({ confidence }) => confidence)),
  pooledIcc: boundedFullCoverageIcc(rows),
});

/** @param shared  the thresholds and the correlation of all tiers */
function counted(
  { tiers }: Pick<UnlevelledClaim, "tiers">,
  certification: Certification,
  { rows, requests }: TestedRequests,
  { path, pooledIcc }: { readonly path: readonly number[]; readonly pooledIcc: number },
): Counted {
  const own = tiers.length === riskTiers.length ? rows : rows.filter((row) => tiers.includes(row.tier));
  const icc = own === rows ? pooledIcc : Math.max(pooledIcc, boundedFullCoverageIcc(own));
  return { requests: own.length, icc, pooledIcc, path: countRungs(path, own, readingOf(certification, requests, icc)) };
}

/**
 * Tests every claim on one path of thresholds. Nothing certified is a normal outcome. A claim that cannot start is
 * shown at the level that it would have had; the others share all of delta.
 */
export function certifyClaims(certification: Certification, tested: TestedRequests): readonly TestedClaim[] {
  const { claim } = certification;
  const shared = sharedBy(tested);
  const evidence = new Map(
    claimsOf(certification).map((one) => [one.scope, counted(one, certification, tested, shared)]),
  );
  const rungsOf = ({ scope }: StatedClaim) => evidence.get(scope)?.path ?? [];
  const canStart = (stated: StatedClaim): boolean => {
    const choice = startChoiceOf(stated, certification);
    return (
      claim === "expected-joint-risk" ||
      startOf(rungsOf(stated), stated.test, choice) !== null ||
      looserSteps(rungsOf(stated), stated.test, choice).length > 0
    );
  };
  const testable = testableClaims(certification, canStart);
  return statedClaims(certification).map((stated) => {
    const levelled = testable.find(({ scope }) => scope === stated.scope) ?? stated;
    return testCounted(evidence.get(stated.scope) as Counted, levelled, certification);
  });
}

/** How a claim starts. A tier that must hold by itself has one target. */
function startChoiceOf(
  { scope }: Pick<StatedClaim, "scope">,
  { claim, startErrors, looser }: Certification,
): StartChoice {
  return { startErrors, byWorkflow: claim === "new-workflows", ...(scope === "overall" ? { looser } : {}) };
}

function testCounted(own: Counted, stated: StatedClaim, certification: Certification): TestedClaim {
  const { claim } = certification;
  const tested =
    claim === "expected-joint-risk"
      ? controlExpectedRisk(own.path, stated.test.target)
      : certifyPath(own.path, stated.test, startChoiceOf(stated, certification));
  return { ...own, ...stated, icc: claim === "new-workflows" ? own.icc : null, tested };
}

/** The target that a claim states: the last one that passed, else the planned one. */
export const signedTarget = ({ tested, test }: TestedClaim): number => {
  const last = tested.certified.at(-1);
  return last === undefined ? test.target : targetOf(last, test);
};

/** Tests one claim over all tiers at several targets, each alone and at the whole delta. */
export function certifyTargets(
  certification: Certification,
  targets: readonly number[],
  tested: TestedRequests,
): readonly TestedClaim[] {
  const overall = { scope: "overall" as const, tiers: riskTiers };
  const own = counted(overall, certification, tested, sharedBy(tested));
  const { delta } = certification;
  const alone = { ...certification, looser: { ...certification.looser, targets: [] } };
  return targets.map((target) => testCounted(own, { ...overall, test: { target, delta } }, alone));
}

/**
 * Takes back every claim about new workflows where workflows with higher scores are wrong more often than their scores
 * say: no test along a path of scores covers that.
 */
export function refuseRisingRisk(claims: readonly TestedClaim[]): readonly TestedClaim[] {
  return claims.map((claim) => ({
    ...claim,
    tested: { ...claim.tested, certified: [] },
    refused: "RISK_RISES_WITH_SCORE" as const,
  }));
}

/** Why nothing is certified; null when something is. */
export function abstainReasonOf({ path, tested, test, refused }: TestedClaim, claim: ClaimKind): Claim["reason"] {
  if (refused !== undefined) return refused;
  if (tested.certified.length > 0) return null;
  if (path.every(({ routed }) => routed === 0)) return "NO_ACCEPTED_ROWS";
  if (claim === "expected-joint-risk") {
    return 1 / ((path[0]?.planned ?? 0) + 1) > test.target ? "TOO_FEW_WORKFLOWS" : "RISK_NOT_CERTIFIED";
  }
  if (tested.start !== null || tested.trace.length > 0) return "RISK_NOT_CERTIFIED";
  return claim === "new-workflows" && !hasEnoughWorkflows(path, test) ? "TOO_FEW_WORKFLOWS" : "TOO_FEW_ROUTED";
}

/** The rung that a claim shows: the shipped one, else the first tested one, else the last one counted. */
export function shownRung({ tested, path }: TestedClaim, shipped: TestStep | null) {
  return shipped ?? tested.trace[0] ?? path.at(-1) ?? { routed: 0, errors: 0, workflows: 0, designEffect: 1 };
}

/**
 * Claim "expected-joint-risk": conformal risk control (Angelopoulos et al., arXiv 2208.02814) of the share of all
 * requests, routed or not, that are routed wrongly, every workflow or group counted once. It holds on average over
 * calibrations, not for one file with a stated confidence.
 *
 * @param requests  tested requests of each workflow and group, all of them
 */
function readAsJointRisk(requests: ReadonlyMap<string, number>): ClaimReading {
  return (counts) => {
    let sum = 0;
    for (const [cluster, all] of requests) sum += counts.of(cluster).events / all;
    const bound = (sum + 1) / (requests.size + 1);
    return {
      designEffect: counts.routed === 0 ? 1 : Math.max(1, counts.routed / requests.size),
      planned: requests.size,
      judge: () => ({ pValue: null, upperBound: Math.min(1, bound) }),
    };
  };
}
