import type {
  AbstainReason,
  Calibration,
  FitOptions,
  FollowUpCalibrator,
  FollowUpClaim,
  TestStep,
} from "../src/documents/calibration.js";
import { riskTiers } from "../src/documents/choices.js";
import { counted, formatPercent } from "../src/documents/number-text.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { decide, type FollowUpThresholds } from "../src/router/policy/decide.js";
import { answerOfFollowUp, type FollowUpAnswer, followUpColumns } from "../src/router/policy/follow-up.js";
import { fitColumns } from "./calibrators/logistic-regression.js";
import { foldOfCluster } from "./choose-calibrator.js";
import { confidenceText, countedAs, failedStepText, tooFewRequestsText, wrongOf } from "./claim-sentence.js";
import type { RiskTest, TestedRow } from "./claim-reading.js";
import { readAsFixedCatalog } from "./claims/fixed-catalog.js";
import { certifyPath, countThresholdSteps, startOf, type ThresholdStep, thresholdPath } from "./fixed-sequence-test.js";
import { levelOf } from "./procedure.js";
import { type OpenGates, permissiveThresholds } from "./routable.js";

type Kind = FollowUpAnswer["kind"];
type Calibrators = Readonly<Record<Kind, FollowUpCalibrator | null>>;

/** Number of parts of conversations; each part is tested with calibrators that were fitted on the others. */
const parts = 5;
/** Ridge penalty per row on the squared standardised weights. */
const ridgePerRow = 1e-4;

interface Answered {
  readonly answer: FollowUpAnswer;
  readonly right: boolean;
}

/** null if all answers are right, or wrong. */
function fitCalibrator(rows: readonly Answered[]): FollowUpCalibrator | null {
  if (new Set(rows.map(({ right }) => right)).size < 2) return null;
  const found = fitColumns({
    columns: followUpColumns.map((name) => rows.map(({ answer }) => answer.columns[name])),
    target: Float64Array.from(rows, ({ right }) => (right ? 1 : 0)),
    weight: new Float64Array(rows.length).fill(1),
    ridge: { column: ridgePerRow * rows.length, intercept: 0 },
  });
  if (found === null) return null;
  const weights = Object.fromEntries(followUpColumns.map((name, index) => [name, found.weights[index] ?? 0]));
  return { intercept: found.intercept, weights: weights as FollowUpCalibrator["weights"] };
}

function calibratorsOf(records: readonly ScoredRecord[]): Calibrators {
  const answered = records.flatMap((record): readonly Answered[] => {
    const answer = answerOfFollowUp(record);
    return answer === null ? [] : [{ answer, right: answer.candidate.workflow_id === record.workflow_id }];
  });
  const of = (kind: Kind) => fitCalibrator(answered.filter(({ answer }) => answer.kind === kind));
  return { repeats: of("repeats"), changes: of("changes") };
}

const openAt = (calibrators: Calibrators, { tiers }: Pick<FollowUpThresholds, "tiers">): FollowUpThresholds => ({
  tiers,
  repeats: { calibrator: calibrators.repeats, threshold: 0 },
  changes: { calibrator: calibrators.changes, threshold: 0 },
});

/** The follow-ups that some threshold would route. A conversation counts as a family: its errors may come together. */
function routableOf(
  records: readonly ScoredRecord[],
  gates: OpenGates,
  follow_ups: FollowUpThresholds,
): readonly (TestedRow & { readonly kind: Kind })[] {
  const thresholds = { ...permissiveThresholds(gates), follow_ups };
  return records.flatMap((record) => {
    const { decision, workflow_id: routed, confidence } = decide(record, thresholds);
    const { cluster, workflow_id: gold, followUp } = record;
    if (record.early_reason !== null || decision !== "ROUTE") return [];
    const kind = routed === followUp?.previous ? ("repeats" as const) : ("changes" as const);
    return [{ kind, confidence, error: routed !== gold, outOfScope: false, cluster, family: cluster }];
  });
}

/**
 * Certifies routes of follow-ups: one claim for those that repeat the workflow of the request before them, one for those that
 * change it. Conversations are independent of each other, their requests are not. Half of the level goes to each, or all of it
 * to one if the other has too few follow-ups to be tested. The level is separate from that of the claims about requests that
 * stand alone, whose rows and thresholds have no part in this. Only the planned target is tested.
 * @param records  scored follow-ups
 */
export function certifyFollowUps(
  records: readonly ScoredRecord[],
  gates: OpenGates,
  fit: FitOptions,
): NonNullable<Calibration["follow_ups"]> {
  const usable = records.filter(({ error_code: code }) => code === null).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const tiers = riskTiers.filter((tier) => fit.required_tiers[tier] === null);
  const partOf = foldOfCluster(usable, parts);
  const isIn = (part: number) => (record: ScoredRecord) => partOf.get(record.cluster) === part;
  const rows = Array.from({ length: parts }, (_, part) => {
    const calibrators = calibratorsOf(usable.filter((record) => !isIn(part)(record)));
    return routableOf(usable.filter(isIn(part)), gates, openAt(calibrators, { tiers }));
  }).flat();
  const pathOf = (kind: Kind): readonly ThresholdStep[] => {
    const own = rows.filter((row) => row.kind === kind);
    const read = readAsFixedCatalog(own, { inScope: new Map(), outOfScope: new Map() }, null);
    return countThresholdSteps(thresholdPath(own.map(({ confidence }) => confidence)), own, read);
  };
  const paths = { repeats: pathOf("repeats"), changes: pathOf("changes") };
  const tests = levelsOf(paths, fit);
  const calibrators = calibratorsOf(usable);
  const closings = usable.filter(({ followUp }) => (followUp?.closing ?? 0) > 0);
  const claimOf = (kind: Kind): FollowUpClaim =>
    claimOfPath(kind, { path: paths[kind], test: tests[kind], calibrator: calibrators[kind] }, fit);
  return {
    requests: usable.length,
    out_of_scope: usable.filter(({ workflow_id: gold }) => gold === null).length,
    conversations: partOf.size,
    closings: closings.length,
    closings_wrong: closings.filter(({ workflow_id: gold }) => gold !== null).length,
    tiers,
    repeats: claimOf("repeats"),
    changes: claimOf("changes"),
  };
}

/** The level of each claim. Whether a claim can be tested depends on scores and counts only. */
function levelsOf(
  paths: Readonly<Record<Kind, readonly ThresholdStep[]>>,
  fit: FitOptions,
): Readonly<Record<Kind, RiskTest>> {
  const testAt = (delta: number): RiskTest => ({ target: fit.target_risk, delta });
  const half = testAt(levelOf(fit) / 2);
  const canStart = (kind: Kind): boolean => startOf(paths[kind], half, startChoice(fit)) !== null;
  const whole = testAt(levelOf(fit));
  if (!canStart("changes")) return { repeats: whole, changes: half };
  return { repeats: half, changes: canStart("repeats") ? half : whole };
}

const startChoice = ({ start_errors: initialAllowedErrors }: FitOptions) => ({ initialAllowedErrors });

function claimOfPath(
  kind: Kind,
  { path, test, calibrator }: Tested & { readonly calibrator: FollowUpCalibrator | null },
  fit: FitOptions,
): FollowUpClaim {
  const { certified, trace } = certifyPath(path, test, startChoice(fit));
  const shipped = calibrator === null ? undefined : certified.findLast(({ passed }) => passed);
  const evidence = {
    calibrator,
    target_risk: test.target,
    delta: test.delta,
    ...shownCounts(shipped, trace, path),
    trace,
  };
  if (shipped === undefined) {
    return {
      ...evidence,
      ...notCertified(kind, { path, test }, trace[0], fit),
      threshold: null,
      upper_bound: null,
    };
  }
  const { confidence: threshold, upper_bound } = shipped;
  return { ...evidence, reason: null, sentence: certifiedSentence(kind, shipped, test, fit), threshold, upper_bound };
}

/** Counts at the shipped step, or else at the first tested or the last counted one. */
function shownCounts(shipped: TestStep | undefined, trace: readonly TestStep[], path: readonly ThresholdStep[]) {
  const nothing = { routed: 0, errors: 0, workflows: 0, design_effect: 1 };
  const {
    routed,
    errors,
    workflows: conversations,
    design_effect: effect,
  } = shipped ?? trace[0] ?? path.at(-1) ?? nothing;
  return { requests: path.at(-1)?.routed ?? 0, routed, errors, conversations, effective_routed: routed / effect };
}

interface Tested {
  readonly path: readonly ThresholdStep[];
  readonly test: RiskTest;
}

const certifiedSentence = (kind: Kind, step: TestStep, { target, delta }: RiskTest, { attempt }: FitOptions): string =>
  `When Sluice routes a request that follows another one, and ${kind} its workflow, at most ${formatPercent(target)} of routes go to ` +
  `the wrong workflow, provided the caller names the workflow that served the previous request (${confidenceText(delta, attempt)}). ` +
  `Measured on ${counted(step.workflows, "conversation")}, which are independent of each other: ${wrongOf(step)}${countedAs(step)}.`;

function notCertified(
  kind: Kind,
  { path, test }: Tested,
  failed: TestStep | undefined,
  fit: FitOptions,
): Pick<FollowUpClaim, "reason" | "sentence"> {
  const where = kind === "repeats" ? "keeps its workflow" : "changes its workflow";
  const because = (reason: AbstainReason, why: string) => ({
    reason,
    sentence: `No request that follows another one and ${where} is routed: ${why}.`,
  });
  if ((path.at(-1)?.routed ?? 0) === 0) return because("NO_ACCEPTED_ROWS", "no tested one could be");
  if (failed === undefined) return because("TOO_FEW_ROUTED", tooFewRequestsText(path, test, fit));
  return because("RISK_NOT_CERTIFIED", failedStepText(failed, test));
}
