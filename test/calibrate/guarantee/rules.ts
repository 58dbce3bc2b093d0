/** Rules that choose a threshold from two folds: those of the calibration, and those it is compared with. */
import { readAsRequests } from "../../../calibrate/claims/fixed-catalog.js";
import { readAsWorkflows } from "../../../calibrate/claims/new-workflows.js";
import { readAsFixedMix, readAsMix } from "../../../calibrate/claims/weighted-mix.js";
import { certifyPath, defaultStartErrors } from "../../../calibrate/fixed-sequence.js";
import { fullCoverageIcc } from "../../../calibrate/intra-cluster-correlation.js";
import {
  type ClaimReading,
  type PointEvidence,
  pathEvidence,
  readAsEffectiveRequests,
  type RiskTest,
} from "../../../calibrate/point-evidence.js";
import { learnThresholdPath, type ThresholdPoint } from "../../../calibrate/threshold-path.js";
import type { ClaimKind, Procedure } from "../../../src/domain/calibration.js";
import { clopperPearsonUpper } from "../../../src/stats/clopper-pearson.js";
import { hoeffdingBentkus } from "../../../src/stats/hoeffding-bentkus.js";
import { selectionWithGuaranteedRisk } from "../../../src/stats/selection-with-guaranteed-risk.js";
import type { DrawnFold, TrueRates, World } from "./worlds.js";

export interface Folds {
  readonly tune: DrawnFold;
  readonly certify: DrawnFold;
}

export interface Rule {
  readonly name: string;
  /** What it claims; "none" for the rules that it is compared with. */
  readonly claim: ClaimKind | "declared-mix" | "none";
  /** Whether the claim speaks about the world. */
  readonly covers: (world: World) => boolean;
  readonly choose: (folds: Folds, test: RiskTest, world: World) => ThresholdPoint | undefined;
  readonly riskOf: (rates: TrueRates) => number;
}

const overRequests = (rates: TrueRates): number => rates.risk;
const overWorkflows = (rates: TrueRates): number => rates.macroRisk;

function evidenceOf({ tune, certify }: Folds, read: ClaimReading): readonly PointEvidence[] {
  const path = learnThresholdPath(tune.rows);
  const fold = ({ rows }: DrawnFold) => ({ rows, icc: fullCoverageIcc(rows) });
  return pathEvidence(path, fold(tune), fold(certify), read);
}

function certified(procedure: Procedure, readFor: (folds: Folds, world: World) => ClaimReading): Rule["choose"] {
  return (folds, test, world) =>
    certifyPath(evidenceOf(folds, readFor(folds, world)), test, {
      procedure,
      startErrors: defaultStartErrors,
    }).certified.at(-1);
}

/** The loosest point of the path that a condition holds at, whatever happens at the others. */
function loosest(holds: (point: PointEvidence, test: RiskTest) => boolean): Rule["choose"] {
  return (folds, test) => evidenceOf(folds, readAsRequests).findLast((point) => point.routed > 0 && holds(point, test));
}

/** Hoeffding and Bentkus on one value per workflow, in fixed sequence from the first point that enough workflows reach. */
const bentkusPerWorkflow: Rule["choose"] = (folds, test) => {
  const clusters = new Set(folds.certify.rows.map((row) => row.cluster));
  const read: ClaimReading = (counts, planned, icc) => {
    const shares = [...clusters].flatMap((cluster) => {
      const { trials, events } = counts.of(cluster);
      return trials === 0 ? [] : [events / trials];
    });
    const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
    const p = hoeffdingBentkus(mean, shares.length, test.target);
    const base = readAsWorkflows(clusters)(counts, planned, icc);
    return { ...base, judge: () => ({ pValue: p, upperBound: 1 }) };
  };
  return certified("fixed-sequence", () => read)(folds, test, {} as World);
};

const bySearch: Rule["choose"] = ({ certify }, { target, delta }) => {
  const outcomes = certify.rows.map(({ confidence, error }) => ({ score: confidence, error }));
  const { best } = selectionWithGuaranteedRisk(outcomes, target, delta);
  return best === null ? undefined : { confidence: best.threshold, margin: 0 };
};

const always = (): boolean => true;
const never = (): boolean => false;
const withSameMix = (world: World): boolean => world.sameMix;

export const rules: readonly Rule[] = [
  {
    name: "default: fixed sequence, effective requests",
    claim: "new-workflows-approximate",
    covers: withSameMix,
    choose: certified("fixed-sequence", () => readAsEffectiveRequests),
    riskOf: overRequests,
  },
  {
    name: "Holm, effective requests",
    claim: "new-workflows-approximate",
    covers: withSameMix,
    choose: certified("holm", () => readAsEffectiveRequests),
    riskOf: overRequests,
  },
  {
    name: "graph, effective requests",
    claim: "new-workflows-approximate",
    covers: withSameMix,
    choose: certified("graph", () => readAsEffectiveRequests),
    riskOf: overRequests,
  },
  {
    name: "strict: betting per workflow",
    claim: "new-workflows",
    covers: withSameMix,
    choose: certified("fixed-sequence", ({ certify }) =>
      readAsWorkflows(new Set(certify.rows.map((row) => row.cluster))),
    ),
    riskOf: overWorkflows,
  },
  {
    name: "Hoeffding-Bentkus per workflow",
    claim: "new-workflows",
    covers: withSameMix,
    choose: bentkusPerWorkflow,
    riskOf: overWorkflows,
  },
  {
    name: "declared mix",
    claim: "declared-mix",
    covers: always,
    choose: certified("fixed-sequence", ({ certify }, world) => readAsMix(certify.requests, world.outOfScopeShare)),
    riskOf: overRequests,
  },
  {
    name: "declared mix, every request counts",
    claim: "fixed-catalog",
    covers: (world) => !world.clustered,
    choose: certified("fixed-sequence", ({ certify }, world) =>
      readAsFixedMix(certify.requests, world.outOfScopeShare),
    ),
    riskOf: overRequests,
  },
  {
    name: "every request counts",
    claim: "fixed-catalog",
    covers: (world) => world.sameMix && !world.clustered,
    choose: certified("fixed-sequence", () => readAsRequests),
    riskOf: overRequests,
  },
  {
    name: "empirical threshold",
    claim: "none",
    covers: never,
    choose: loosest(({ errors, routed }, { target }) => errors / routed <= target),
    riskOf: overRequests,
  },
  {
    name: "pointwise bound",
    claim: "none",
    covers: never,
    choose: loosest(({ errors, routed }, test) => clopperPearsonUpper(errors, routed, test.delta) <= test.target),
    riskOf: overRequests,
  },
  {
    name: "selection with guaranteed risk",
    claim: "none",
    covers: never,
    choose: bySearch,
    riskOf: overRequests,
  },
];
