import type { Claim, ClaimKind, TestStep } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { ClaimReading, RiskTest } from "./claim-reading.js";
import { readAsJointRisk } from "./claims/expected-joint-risk.js";
import { readAsRequests } from "./claims/fixed-catalog.js";
import { type FoldRequests, readAsFixedMix, readAsMix } from "./claims/weighted-mix.js";
import { fullCoverageIcc } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import {
  certifyPath,
  controlExpectedRisk,
  countRungs,
  newWorkflows,
  type Rung,
  type TestedPath,
  thresholdPath,
} from "./rule.js";

/** Largest wrong share of one tier by itself, for the tiers that must hold by themselves; each in (0, 1). */
export type RequiredTiers = Readonly<Partial<Record<RiskTier, number>>>;

/** What is claimed, and how it is tested. All of it is fixed before a label is read. */
export interface Certification {
  readonly claim: ClaimKind;
  /** Largest wrong share of the routed requests, in (0, 1). */
  readonly target: number;
  readonly requiredTiers: RequiredTiers;
  /** Probability that any claim is wrong, in (0, 1). */
  readonly delta: number;
  readonly startErrors: readonly number[];
  readonly startIcc: number;
  /** Declared share of out-of-scope requests; null certifies the mix of the tested requests. */
  readonly declaredShare: number | null;
}

/** A claim that is to be tested: whom it speaks about and what it may cost. */
export interface StatedClaim {
  readonly scope: Claim["scope"];
  readonly tiers: readonly RiskTier[];
  readonly test: RiskTest;
}

/** A tested claim with its evidence. */
export interface TestedClaim extends StatedClaim {
  /** Tested requests that some threshold would route to its tiers. */
  readonly requests: number;
  /** Correlation of errors inside a workflow that the tests used; null where each request counts. */
  readonly icc: number | null;
  readonly path: readonly Rung[];
  readonly tested: TestedPath;
}

/** What was scored: the routable requests, and the requests of each cluster, routable or not. */
export interface TestedRequests {
  readonly rows: readonly RoutableRow[];
  readonly requests: FoldRequests;
}

/**
 * The claims of a calibration. A tier that must hold by itself has its own claim and is no part of the overall one, so
 * that what one of them ships changes nothing about the other. The overall claim has half of delta, or all of it when
 * it stands alone; the other half is divided over the tiers with their own.
 */
export function statedClaims({ claim, target, requiredTiers, delta }: Certification): readonly StatedClaim[] {
  const alone = claim === "expected-joint-risk" ? [] : riskTiers.filter((tier) => requiredTiers[tier] !== undefined);
  const together = riskTiers.filter((tier) => !alone.includes(tier));
  const share = together.length > 0 && alone.length > 0 ? 0.5 : 1;
  return [
    ...(together.length === 0
      ? []
      : [{ scope: "overall" as const, tiers: together, test: { target, delta: delta * share } }]),
    ...alone.map((tier) => ({
      scope: tier,
      tiers: [tier],
      test: { target: requiredTiers[tier] ?? target, delta: (delta * share) / alone.length },
    })),
  ];
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

/** A claim with the rungs that it is tested on: counted once, whatever the targets. */
type CountedClaim = Omit<TestedClaim, "test" | "tested">;

function countClaim(
  { scope, tiers }: Pick<StatedClaim, "scope" | "tiers">,
  certification: Certification,
  { rows, requests }: TestedRequests,
  path: readonly number[],
): CountedClaim {
  const own = rows.filter((row) => tiers.includes(row.tier));
  const icc = Math.max(fullCoverageIcc(rows), fullCoverageIcc(own));
  const counted = countRungs(path, own, readingOf(certification, requests, icc));
  const isNew = certification.claim === "new-workflows";
  return { scope, tiers, requests: own.length, icc: isNew ? icc : null, path: counted };
}

function testCounted(counted: CountedClaim, test: RiskTest, { claim, startErrors }: Certification): TestedClaim {
  const tested =
    claim === "expected-joint-risk"
      ? controlExpectedRisk(counted.path, test.target)
      : certifyPath(counted.path, test, { startErrors, byWorkflow: claim === "new-workflows" });
  return { ...counted, test, tested };
}

const pathOf = ({ rows }: TestedRequests): readonly number[] => thresholdPath(rows.map(({ confidence }) => confidence));

/** Tests every claim on one path of thresholds. Nothing certified is a normal outcome. */
export function certifyClaims(certification: Certification, tested: TestedRequests): readonly TestedClaim[] {
  const path = pathOf(tested);
  return statedClaims(certification).map((stated) =>
    testCounted(countClaim(stated, certification, tested, path), stated.test, certification),
  );
}

/** Tests one claim over all tiers at several targets, each at the whole delta, as `certifyClaims` does for one. */
export function certifyTargets(
  certification: Certification,
  targets: readonly number[],
  tested: TestedRequests,
): readonly TestedClaim[] {
  const counted = countClaim({ scope: "overall", tiers: riskTiers }, certification, tested, pathOf(tested));
  return targets.map((target) => testCounted(counted, { target, delta: certification.delta }, certification));
}

/** Why nothing is certified; null when something is. */
export function abstainReasonOf({ path, tested, test }: TestedClaim, claim: ClaimKind): Claim["reason"] {
  if (tested.certified.length > 0) return null;
  if (path.every(({ routed }) => routed === 0)) return "NO_ACCEPTED_ROWS";
  if (claim === "expected-joint-risk") {
    return 1 / ((path[0]?.planned ?? 0) + 1) > test.target ? "TOO_FEW_WORKFLOWS" : "RISK_NOT_CERTIFIED";
  }
  if (tested.start !== null) return "RISK_NOT_CERTIFIED";
  return claim === "new-workflows" && !hasEnoughWorkflows(path, test) ? "TOO_FEW_WORKFLOWS" : "TOO_FEW_ROUTED";
}

const hasEnoughWorkflows = (path: readonly Rung[], { target, delta }: RiskTest): boolean =>
  path.some(({ workflows }) => (1 - target) ** workflows <= delta);

/** The rung that a claim shows: the shipped one, else the first tested one, else the last one counted. */
export function shownRung({ tested, path }: TestedClaim, shipped: TestStep | null) {
  return shipped ?? tested.trace[0] ?? path.at(-1) ?? { routed: 0, errors: 0, workflows: 0, designEffect: 1 };
}
