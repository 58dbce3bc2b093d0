import type { AbstainReason, ClaimKind, Procedure, TestStep } from "../src/domain/calibration.js";
import { readAsJointRisk } from "./claims/expected-joint-risk.js";
import { readAsRequests } from "./claims/fixed-catalog.js";
import { readAsWorkflows } from "./claims/new-workflows.js";
import { type FoldRequests, readAsFixedMix, readAsMix } from "./claims/weighted-mix.js";
import { certifyPath, controlExpectedRisk, defaultStartErrors, type FixedSequence } from "./fixed-sequence.js";
import { fullCoverageIcc } from "./intra-cluster-correlation.js";
import {
  type ClaimReading,
  type PointEvidence,
  pathEvidence,
  readAsEffectiveRequests,
  type RiskTest,
} from "./point-evidence.js";
import type { RoutableRow } from "./routable.js";
import { learnThresholdPath } from "./threshold-path.js";

/** Routable rows of one fold: those of the tier and those of every tier. */
export interface TierFold {
  readonly tier: readonly RoutableRow[];
  readonly all: readonly RoutableRow[];
}

/** What is claimed, and how it is tested. All of it is fixed before CERTIFY is looked at. */
export interface Certification {
  readonly claim: ClaimKind;
  readonly procedure: Procedure;
  readonly startErrors: readonly number[];
  /** Orders the workflows of the betting test. */
  readonly seed: number;
  /** Declared share of out-of-scope requests; null certifies the mix of CERTIFY. */
  readonly declaredShare: number | null;
}

export const defaultCertification: Certification = {
  claim: "new-workflows-approximate",
  procedure: "fixed-sequence",
  startErrors: defaultStartErrors,
  seed: 0,
  declaredShare: null,
};

/** The outcome of testing one tier on its own, before the tiers are made monotone. */
export interface TierCertificate {
  readonly test: RiskTest;
  /** CERTIFY requests of the tier that some thresholds would route. */
  readonly requests: number;
  /** Correlation of errors inside a workflow: CERTIFY fold, all tiers, full coverage, in scope. */
  readonly icc: number;
  readonly evidence: readonly PointEvidence[];
  readonly sequence: FixedSequence;
  /** Certified points, strictest first; none with a reason. */
  readonly outcome:
    | { readonly certified: readonly TestStep[]; readonly reason: null }
    | { readonly certified: readonly []; readonly reason: Exclude<AbstainReason, "RAISED_POINT_NOT_CERTIFIED"> };
}

/** Whether the claim counts workflows, so that too little evidence means too few of them. */
const countsWorkflows = (claim: ClaimKind): boolean => claim === "new-workflows" || claim === "expected-joint-risk";

function outcomeOf(
  evidence: readonly PointEvidence[],
  sequence: FixedSequence,
  { claim }: Certification,
  test: RiskTest,
): TierCertificate["outcome"] {
  if (evidence.every((point) => point.routed === 0)) return { certified: [], reason: "NO_ACCEPTED_ROWS" };
  const tooFew = countsWorkflows(claim) ? "TOO_FEW_WORKFLOWS" : "TOO_FEW_ROUTED";
  if (sequence.start === null) return { certified: [], reason: tooFew };
  if (sequence.certified.length > 0) return { certified: sequence.certified, reason: null };
  const workflows = evidence[0]?.plannedEffective ?? 0;
  const hopeless = claim === "expected-joint-risk" && 1 / (workflows + 1) > test.target;
  return { certified: [], reason: hopeless ? tooFew : "RISK_NOT_CERTIFIED" };
}

function readingOf(certification: Certification, certify: TierFold, requests: FoldRequests): ClaimReading {
  const { claim, seed, declaredShare } = certification;
  if (claim === "fixed-catalog") {
    return declaredShare === null ? readAsRequests : readAsFixedMix(requests, declaredShare);
  }
  if (claim === "new-workflows") return readAsWorkflows(new Set(certify.tier.map((row) => row.cluster)), seed);
  if (claim === "expected-joint-risk") return readAsJointRisk(new Map([...requests.inScope, ...requests.outOfScope]));
  return declaredShare === null ? readAsEffectiveRequests : readAsMix(requests, declaredShare);
}

/** What one tier is certified on. */
export interface TierFolds {
  readonly tune: TierFold;
  readonly certify: TierFold;
  /** CERTIFY requests of each cluster, routable or not. */
  readonly requests: FoldRequests;
}

const nothingTested: FixedSequence = { start: null, trace: [], certified: [] };

/**
 * Certifies one tier: the path is learned on TUNE, the tests are made once on CERTIFY. Abstaining is a normal outcome.
 */
export function certifyTier(
  { tune, certify, requests }: TierFolds,
  test: RiskTest,
  certification: Certification = defaultCertification,
): TierCertificate {
  const path = learnThresholdPath(tune.tier);
  const icc = fullCoverageIcc(certify.all);
  const evidence = pathEvidence(
    path,
    { rows: tune.tier, icc: fullCoverageIcc(tune.all) },
    { rows: certify.tier, icc },
    readingOf(certification, certify, requests),
  );
  const sequence = path.length === 0 ? nothingTested : testedPath(evidence, test, certification);
  const outcome = outcomeOf(evidence, sequence, certification, test);
  return { test, requests: certify.tier.length, icc, evidence, sequence, outcome };
}

function testedPath(evidence: readonly PointEvidence[], test: RiskTest, certification: Certification): FixedSequence {
  if (certification.claim === "expected-joint-risk") return controlExpectedRisk(evidence, test.target);
  return certifyPath(evidence, test, certification);
}
