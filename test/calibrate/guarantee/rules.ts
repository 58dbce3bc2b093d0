/** Rules that choose thresholds from tested requests: those of the calibration, and those they are compared with. */
import type { FitOptions } from "../../../src/documents/calibration.js";
import {
  certifyClaims,
  certifyTargets,
  refuseRisingRisk,
  signedTarget,
  type TestedClaim,
  type TestedRequests,
} from "../../../calibrate/certify-claims.js";
import { type FitChoices, procedureOf } from "../../../calibrate/procedure.js";
import { chooseThresholdSteps } from "../../../calibrate/choose-threshold-steps.js";
import { readAsFixedCatalog } from "../../../calibrate/claims/fixed-catalog.js";
import { risingRisk, riskRises } from "../../../calibrate/rising-risk.js";
import { certifyPath, countThresholdSteps, thresholdPath } from "../../../calibrate/fixed-sequence-test.js";
import { type RiskTier, riskTiers } from "../../../src/documents/choices.js";
import type { Claimed } from "./worlds.js";

export const delta = 0.05;

/** The tiers of one certified claim with its threshold and its target. */
export interface Shipped {
  readonly tiers: readonly RiskTier[];
  readonly threshold: number;
  readonly target: number;
}

export interface Rule {
  readonly name: string;
  /** What it claims; "none" for the rules that the others are compared with. */
  readonly claim: Claimed | "none";
  /** What ships for each of the targets, in their order. */
  readonly choose: (tested: TestedRequests, targets: readonly number[]) => readonly (readonly Shipped[])[];
}

const planned = { delta, looser_targets: [] };

function shipped(claims: readonly TestedClaim[], kind: FitOptions["claim"]): readonly Shipped[] {
  return chooseThresholdSteps(claims, kind).flatMap(({ claim, thresholdStep }) =>
    thresholdStep === null
      ? []
      : [{ tiers: claim.tiers, threshold: thresholdStep.confidence, target: signedTarget(claim) }],
  );
}

/** As a fit does: a claim about new workflows is taken back where risk rises with scores. */
function withCondition({ rows }: TestedRequests, claims: readonly TestedClaim[]): readonly TestedClaim[] {
  return riskRises(risingRisk(rows, 1)) ? refuseRisingRisk(claims) : claims;
}

/** One target after another, each alone. */
const alone =
  (claim: "new-workflows" | "fixed-catalog", condition: boolean): Rule["choose"] =>
  (tested, targets) => {
    const claims = certifyTargets(procedureOf({ ...planned, target_risk: 0.5, claim }), targets, tested);
    const kept = condition ? withCondition(tested, claims) : claims;
    return kept.map((one) => shipped([one], claim));
  };

/** The default: looser targets first. */
const sequence =
  (claim: "new-workflows" | "fixed-catalog"): Rule["choose"] =>
  (tested, targets) =>
    targets.map((target) => {
      const claims = certifyClaims(procedureOf({ delta, target_risk: target, claim }), tested);
      return shipped(claim === "new-workflows" ? withCondition(tested, claims) : claims, claim);
    });

const certified =
  (change: (target: number) => Partial<FitChoices>): Rule["choose"] =>
  (tested, targets) =>
    targets.map((target) => {
      const asked = procedureOf({ ...planned, target_risk: target, ...change(target) });
      return shipped(certifyClaims(asked, tested), asked.claim);
    });

/** The path of thresholds as if every request were independent. */
function independentPath({ rows }: TestedRequests) {
  const alone = rows.map((row) => ({ ...row, family: undefined, nearCopy: undefined }));
  const read = readAsFixedCatalog(alone, { inScope: new Map(), outOfScope: new Map() }, null);
  return countThresholdSteps(thresholdPath(rows.map(({ confidence }) => confidence)), alone, read);
}

const empirical: Rule["choose"] = (tested, targets) => {
  const path = independentPath(tested);
  return targets.map((target) => {
    const loosest = path.findLast(({ errors, routed }) => errors <= target * routed);
    return loosest === undefined ? [] : [{ tiers: riskTiers, threshold: loosest.confidence, target }];
  });
};

/** The same sequence as if every request were independent, which is right for a fixed catalog only. */
const clustersIgnored: Rule["choose"] = (tested, targets) => {
  const path = independentPath(tested);
  return targets.map((target) => {
    const thresholdStep = certifyPath(path, { target, delta }).certified.at(-1);
    return thresholdStep === undefined ? [] : [{ tiers: riskTiers, threshold: thresholdStep.confidence, target }];
  });
};

export const rules: readonly Rule[] = [
  { name: "planned target alone", claim: "new-workflows", choose: alone("new-workflows", false) },
  { name: "default", claim: "new-workflows", choose: sequence("new-workflows") },
  {
    name: "critical by itself",
    claim: "new-workflows and a tier",
    choose: certified((target) => ({ required_tiers: { critical: target } })),
  },
  { name: "every request counts", claim: "fixed-catalog", choose: alone("fixed-catalog", false) },
  { name: "default for this catalog", claim: "fixed-catalog", choose: sequence("fixed-catalog") },
  { name: "clusters ignored", claim: "none", choose: clustersIgnored },
  { name: "empirical threshold", claim: "none", choose: empirical },
];
