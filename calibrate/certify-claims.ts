import {
  type Claim,
  type FitOptions,
  languageOfScope,
  type LanguageScope,
  type TestStep,
} from "../src/documents/calibration.js";
import { type ClaimKind, type RiskTier, riskTiers } from "../src/documents/choices.js";
import type { ClaimReading, RiskTest } from "./claim-reading.js";
import { readAsDrawn } from "./claims/drawn-routes.js";
import { readAsFixedCatalog } from "./claims/fixed-catalog.js";
import { type FoldRequests, readAsMix } from "./claims/weighted-mix.js";
import { levelOf } from "./procedure.js";
import { boundedFullCoverageIcc } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import {
  certifyPath,
  countThresholdSteps,
  hasEnoughWorkflows,
  looserSteps,
  newWorkflows,
  type ThresholdStep,
  startOf,
  type StartChoice,
  targetOf,
  testThresholdStep,
  type TestedPath,
  thresholdPath,
} from "./fixed-sequence-test.js";

/** A claim to test: its tiers, target and level. */
export interface StatedClaim {
  readonly scope: Claim["scope"];
  readonly tiers: readonly RiskTier[];
  readonly test: RiskTest;
}

/** A tested claim with the counts of its test. */
export interface TestedClaim extends StatedClaim {
  /** Number of tested requests that some threshold would route to the claim's tiers. */
  readonly requests: number;
  /** Intra-workflow correlation of errors that the tests used; null if requests count as independent. */
  readonly icc: number | null;
  /** The same correlation over all tiers. */
  readonly pooledIcc: number;
  readonly path: readonly ThresholdStep[];
  readonly tested: TestedPath;
  /** A reason that rules out certification regardless of the tests. Default: none. */
  readonly refused?: "RISK_RISES_WITH_SCORE";
}

/** Scored requests: the routable rows, and the number of all requests per cluster. */
export interface TestedRequests {
  readonly rows: readonly RoutableRow[];
  readonly requests: FoldRequests;
  /** The requests of each language, if each has a claim of its own. */
  readonly byLanguage?: ReadonlyMap<LanguageScope, FoldRequests> | undefined;
}

/** A claim without its level. */
type UnlevelledClaim = Omit<StatedClaim, "test"> & { readonly target: number };

type Languages = Pick<TestedRequests, "byLanguage">;

/**
 * The claims of a calibration. A required tier has its own claim and is excluded from the overall claim, so that
 * neither affects the other. Claims of languages replace the overall claim.
 */
function claimsOf(
  { target_risk: target, required_tiers }: FitOptions,
  { byLanguage }: Languages,
): readonly UnlevelledClaim[] {
  if (byLanguage !== undefined) return [...byLanguage.keys()].map((scope) => ({ scope, tiers: riskTiers, target }));
  const alone = riskTiers.filter((tier) => required_tiers[tier] !== null);
  const together = riskTiers.filter((tier) => !alone.includes(tier));
  return [
    ...(together.length === 0 ? [] : [{ scope: "overall" as const, tiers: together, target }]),
    ...alone.map((tier) => ({ scope: tier, tiers: [tier], target: required_tiers[tier] ?? target })),
  ];
}

/**
 * Assigns levels: half of delta to the overall claim, the other half divided among the tiers that have their own claim.
 * Languages share all of delta.
 */
function withLevels(claims: readonly UnlevelledClaim[], delta: number): readonly StatedClaim[] {
  const alone = claims.filter(({ scope }) => scope !== "overall").length;
  const share = alone > 0 && alone < claims.length ? 0.5 : 1;
  return claims.map(({ target, ...claim }) => ({
    ...claim,
    test: { target, delta: claim.scope === "overall" ? delta * share : (delta * share) / alone },
  }));
}

/** All claims, with delta divided among them. */
export const statedClaims = (fit: FitOptions, languages: Languages = {}): readonly StatedClaim[] =>
  withLevels(claimsOf(fit, languages), levelOf(fit));

/**
 * The testable claims with their levels. The delta of a claim that has too few requests or workflows to be tested is
 * redistributed to the remaining claims, one claim at a time, the last one first and tiers before the overall claim. Whether a claim can start
 * depends on scores and counts but not on labels, so the levels are fixed before the tests.
 *
 * @param canStart  whether a claim can be tested at its level
 */
function testableClaims(
  fit: FitOptions,
  languages: Languages,
  canStart: (stated: StatedClaim) => boolean,
): readonly StatedClaim[] {
  let left = claimsOf(fit, languages);
  for (;;) {
    const levelled = withLevels(left, levelOf(fit));
    const hopeless = levelled.findLast((stated) => !canStart(stated));
    if (hopeless === undefined) return levelled;
    left = left.filter(({ scope }) => scope !== hopeless.scope);
  }
}

/** @param rows  the routable requests of the claim */
export function readingOf(fit: FitOptions, { rows, requests }: TestedRequests, icc: number): ClaimReading {
  const { claim, start_icc, out_of_scope_share: declaredShare, drawn_routes: drawn } = fit;
  if (drawn !== undefined) return readAsDrawn(drawn);
  if (claim === "fixed-catalog") return readAsFixedCatalog(rows, requests, declaredShare);
  const correlation = { icc, startIcc: start_icc };
  return declaredShare === null ? newWorkflows(correlation) : readAsMix(requests, declaredShare, correlation);
}

/** Counts of a claim, which depend on its tiers but not on its level. */
interface Counted extends Pick<TestedClaim, "requests" | "pooledIcc" | "path"> {
  readonly icc: number;
}

/** The requests of a claim about a language; all of them for other claims. */
function requestsOfScope(scope: Claim["scope"], tested: TestedRequests): TestedRequests {
  const language = languageOfScope(scope);
  if (language === null) return tested;
  return {
    rows: tested.rows.filter((row) => row.language === undefined || row.language === language),
    requests: tested.byLanguage?.get(`language:${language}`) ?? { inScope: new Map(), outOfScope: new Map() },
  };
}

/** The path of thresholds and the correlation over all tiers, both shared by every claim that is not about a language. */
const sharedBy = ({ rows }: TestedRequests, { drawn_routes: drawn }: FitOptions) => ({
  path: drawn === undefined ? thresholdPath(rows.map(({ confidence }) => confidence)) : [drawn.threshold],
  pooledIcc: boundedFullCoverageIcc(rows),
});

/** @param shared  result of `sharedBy` */
function counted(
  { tiers }: Pick<UnlevelledClaim, "tiers">,
  fit: FitOptions,
  { rows, requests }: TestedRequests,
  { path, pooledIcc }: { readonly path: readonly number[]; readonly pooledIcc: number },
): Counted {
  const own = tiers.length === riskTiers.length ? rows : rows.filter((row) => tiers.includes(row.tier));
  const icc = own === rows ? pooledIcc : Math.max(pooledIcc, boundedFullCoverageIcc(own));
  return {
    requests: own.length,
    icc,
    pooledIcc,
    path: countThresholdSteps(path, own, readingOf(fit, { rows: own, requests }, icc)),
  };
}

/**
 * Tests every claim on the same path of thresholds. It is normal that nothing certifies. A claim that cannot start is
 * shown at the level that it would have had; the remaining claims share all of delta.
 */
export function certifyClaims(fit: FitOptions, tested: TestedRequests): readonly TestedClaim[] {
  const shared = sharedBy(tested, fit);
  const countedOf = new Map(
    claimsOf(fit, tested).map((one) => {
      const own = requestsOfScope(one.scope, tested);
      return [one.scope, counted(one, fit, own, own === tested ? shared : sharedBy(own, fit))];
    }),
  );
  const thresholdStepsOf = ({ scope }: StatedClaim) => countedOf.get(scope)?.path ?? [];
  const canStart = (stated: StatedClaim): boolean => {
    const choice = startChoiceOf(stated, fit);
    return (
      startOf(thresholdStepsOf(stated), stated.test, choice) !== null ||
      looserSteps(thresholdStepsOf(stated), stated.test, choice).length > 0
    );
  };
  const testable = testableClaims(fit, tested, canStart);
  return statedClaims(fit, tested).map((stated) => {
    const levelled = testable.find(({ scope }) => scope === stated.scope) ?? stated;
    return testCounted(countedOf.get(stated.scope) as Counted, levelled, fit);
  });
}

/** Whether looser targets than the planned one are tested first. */
const mayBeLooser = (scope: Claim["scope"]): boolean => scope === "overall" || languageOfScope(scope) !== null;

/** How the test of a claim starts. The claim of a required tier has a single target. */
function startChoiceOf(
  { scope }: Pick<StatedClaim, "scope">,
  { claim, start_errors, looser_targets: targets, looser_share: share }: FitOptions,
): StartChoice {
  return {
    initialAllowedErrors: start_errors,
    byWorkflow: claim === "new-workflows",
    ...(mayBeLooser(scope) ? { looser: { targets, share } } : {}),
  };
}

function testCounted(own: Counted, stated: StatedClaim, fit: FitOptions): TestedClaim {
  const tested = certifyPath(own.path, stated.test, startChoiceOf(stated, fit));
  return { ...own, ...stated, icc: fit.claim === "new-workflows" ? own.icc : null, tested };
}

/** The target that a claim states: the last target that passed, otherwise the planned target. */
export const signedTarget = ({ tested, test }: TestedClaim): number => {
  const last = tested.certified.at(-1);
  return last === undefined ? test.target : targetOf(last, test);
};

/** Tests the overall claim at several targets, each as the planned one of its own calibration. */
export function certifyTargets(
  fit: FitOptions,
  targets: readonly number[],
  tested: TestedRequests,
): readonly TestedClaim[] {
  const [overall] = statedClaims(fit);
  if (overall?.scope !== "overall") return [];
  const own = counted(overall, fit, tested, sharedBy(tested, fit));
  const { delta } = overall.test;
  return targets.map((target) => testCounted(own, { ...overall, test: { target, delta } }, fit));
}

/** The upper limit of the risk at one threshold, at the level of the claim. */
export function limitAt(
  confidence: number,
  { tiers, test }: StatedClaim,
  fit: FitOptions,
  { rows, requests }: TestedRequests,
): number {
  const own = rows.filter((row) => tiers.includes(row.tier));
  const icc = Math.max(boundedFullCoverageIcc(rows), boundedFullCoverageIcc(own));
  const [step] = countThresholdSteps([confidence], own, readingOf(fit, { rows: own, requests }, icc));
  return step === undefined ? 1 : testThresholdStep(step, test).upper_bound;
}

/**
 * Refuses every claim about new workflows if workflows with higher scores are wrong more often than their scores
 * predict, because a test along a path of scores does not cover that.
 */
export function refuseRisingRisk(claims: readonly TestedClaim[]): readonly TestedClaim[] {
  return claims.map((claim) => ({
    ...claim,
    tested: { ...claim.tested, certified: [] },
    refused: "RISK_RISES_WITH_SCORE" as const,
  }));
}

/** Why nothing is certified; null if something is. */
export function abstainReasonOf({ path, tested, test, refused }: TestedClaim, claim: ClaimKind): Claim["reason"] {
  if (refused !== undefined) return refused;
  if (tested.certified.length > 0) return null;
  if (path.every(({ routed }) => routed === 0)) return "NO_ACCEPTED_ROWS";
  if (tested.start !== null || tested.trace.length > 0) return "RISK_NOT_CERTIFIED";
  return claim === "new-workflows" && !hasEnoughWorkflows(path, test) ? "TOO_FEW_WORKFLOWS" : "TOO_FEW_ROUTED";
}

/**
 * The step that a claim displays: the shipped step, otherwise the first tested one, otherwise the last step of the
 * path.
 */
export function shownThresholdStep({ tested, path }: TestedClaim, shipped: TestStep | null) {
  return shipped ?? tested.trace[0] ?? path.at(-1) ?? { routed: 0, errors: 0, workflows: 0, design_effect: 1 };
}
