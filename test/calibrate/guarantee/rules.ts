/** Rules that choose thresholds from tested requests: those of the calibration, and those they are compared with. */
import { type Certification, certifyClaims, type TestedRequests } from "../../../calibrate/certify-claims.js";
import { chooseRungs } from "../../../calibrate/choose-rungs.js";
import { readAsRequests } from "../../../calibrate/claims/fixed-catalog.js";
import {
  certifyPath,
  countRungs,
  defaultStartErrors,
  defaultStartIcc,
  noLooserTargets,
  thresholdPath,
} from "../../../calibrate/rule.js";
import { type RiskTier, riskTiers } from "../../../src/domain/choices.js";
import type { Claimed } from "./worlds.js";

export const guarantee = { target: 0.1, delta: 0.05 } as const;

/** The tiers of one certified claim and their threshold. */
export interface Shipped {
  readonly tiers: readonly RiskTier[];
  readonly threshold: number;
}

export interface Rule {
  readonly name: string;
  /** What it claims; "none" for the rules that the others are compared with. */
  readonly claim: Claimed | "none";
  readonly choose: (tested: TestedRequests) => readonly Shipped[];
}

const certification: Certification = {
  ...guarantee,
  claim: "new-workflows",
  requiredTiers: {},
  startErrors: defaultStartErrors,
  startIcc: defaultStartIcc,
  looser: noLooserTargets,
  declaredShare: null,
};

const certified =
  (change: Partial<Certification>): Rule["choose"] =>
  (tested) => {
    const asked = { ...certification, ...change };
    return chooseRungs(certifyClaims(asked, tested), asked.claim).flatMap(({ claim, rung }) =>
      rung === null ? [] : [{ tiers: claim.tiers, threshold: rung.confidence }],
    );
  };

const empirical: Rule["choose"] = ({ rows }) => {
  const path = countRungs(thresholdPath(rows.map(({ confidence }) => confidence)), rows, readAsRequests);
  const loosest = path.findLast(({ errors, routed }) => errors <= guarantee.target * routed);
  return loosest === undefined ? [] : [{ tiers: riskTiers, threshold: loosest.confidence }];
};

/** The same sequence as if every request were independent, which is right for a fixed catalog only. */
const clustersIgnored: Rule["choose"] = ({ rows }) => {
  const path = countRungs(thresholdPath(rows.map(({ confidence }) => confidence)), rows, readAsRequests);
  const rung = certifyPath(path, guarantee).certified.at(-1);
  return rung === undefined ? [] : [{ tiers: riskTiers, threshold: rung.confidence }];
};

export const rules: readonly Rule[] = [
  { name: "default", claim: "new-workflows", choose: certified({}) },
  {
    name: "critical by itself",
    claim: "new-workflows and a tier",
    choose: certified({ requiredTiers: { critical: guarantee.target } }),
  },
  { name: "every request counts", claim: "fixed-catalog", choose: certified({ claim: "fixed-catalog" }) },
  {
    name: "conformal risk control",
    claim: "expected-joint-risk",
    choose: certified({ claim: "expected-joint-risk" }),
  },
  { name: "clusters ignored", claim: "none", choose: clustersIgnored },
  { name: "empirical threshold", claim: "none", choose: empirical },
];
