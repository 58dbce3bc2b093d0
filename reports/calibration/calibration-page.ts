import { headline, planReservation } from "../headline.js";
import { statedReason } from "../../src/base/text.js";
import {
  type Calibration,
  type Claim,
  type DrawnRoutes,
  type FitOptions,
  usedTiers,
  scopeName,
  statementOf,
} from "../../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import {
  counted,
  formatCount,
  formatFixedPercent,
  formatPercent,
  formatPercentUp,
  formatProportion,
  formatTenthsPercent,
  formatPercentDown,
} from "../../src/documents/number-text.js";
import type { PageLink } from "../blocks.js";
import { type Fact, factList, num, reportTable, type ReportTable } from "../blocks.js";
import type { PlannedPoint } from "../charts/plan-targets.js";
import { planView } from "../charts/plan-targets.js";
import { type Reliability, reliabilityView } from "../charts/reliability.js";
import { sweepView } from "../charts/threshold-sweep.js";
import { conditionsTable, promiseOf } from "../claim-view.js";
import { describeFollowUps, describeLanguages, describeSeveralWishes } from "../text/calibration-text.js";
import { adviceOf } from "../text/plan-text.js";

export interface CalibrationPageInput {
  readonly calibrationSha256: string;
  readonly calibration: Calibration;
  /** Measured on EVAL, or on CERTIFY if there is no held-out set; null if the run is unavailable. */
  readonly reliability: { readonly fold: string; readonly before: Reliability; readonly after: Reliability } | null;
  /** Results of a plan for every claim and target; empty without a plan. */
  readonly plan?: readonly PlannedPoint[];
  readonly links?: readonly PageLink[];
}

function pageFacts(claim: Claim | undefined): readonly Fact[] {
  if (claim === undefined) return [];
  const { target_risk, delta, routed, requests, errors, upper_bound, workflows } = claim;
  return factList([
    ["Target", `at most ${formatPercent(target_risk, 2)} wrong`],
    ["Confidence", formatPercent(1 - delta, 2)],
    ["Tested requests that are routed", `${formatCount(routed)} of ${formatCount(requests)}`],
    ["Wrong", formatCount(errors)],
    ["Upper limit of wrong routes", upper_bound === null ? "none" : formatPercentUp(upper_bound)],
    ["Workflows and groups", formatCount(workflows)],
  ]);
}

function tierRow(tier: RiskTier, { tiers }: Calibration): readonly string[] {
  const own = tiers[tier];
  return [
    tier,
    own.confidence === null ? "abstains" : String(own.confidence),
    own.margin === null || own.margin === 0 ? "none" : String(own.margin),
    `${formatCount(own.routed)} of ${formatCount(own.certify_requests)}`,
    `${formatCount(own.errors)} of ${formatCount(own.routed)}`,
    formatCount(own.workflows),
    own.target_risk === null ? "no separate claim" : `at most ${formatPercent(own.target_risk, 2)}`,
  ];
}

const tierTable = (calibration: Calibration): ReportTable =>
  reportTable(
    "Each tier by itself on the tested requests",
    ["Tier", num("Routes at or above"), num("Margin"), num("Routed"), num("Wrong"), num("Workflows"), "Claim"],
    usedTiers(calibration).map((tier) => tierRow(tier, calibration)),
  );

/** Critical value of the rising-risk statistic. */
const signFrom = 1.645;

function risingRiskText({ rising_risk }: Calibration): string {
  if (rising_risk === null) return "Not tested: the scores of this run do not allow the test.";
  const { statistic, power } = rising_risk;
  const found = statistic > signFrom;
  return (
    `${found ? "Yes, there is evidence of it" : "There is no evidence of it"}: z = ${statistic.toFixed(2)}; a value above ${signFrom} ` +
    `counts as evidence. The test detects a strong rise in ${formatPercent(power, 1)} of cases. ` +
    (found
      ? "A claim about new workflows does not cover such a rise."
      : "A rise too weak for this test remains possible.")
  );
}

const trafficTable = ({ traffic }: Calibration): ReportTable =>
  reportTable(
    traffic.sensitivity.length === 0
      ? "Requests like those of the log; nothing is known about other traffic. Out of scope: share among the drawn routes"
      : "Estimates by the share of out-of-scope requests, not certified; the claim holds up to the expected share",
    [num("Out of scope"), num("Routed"), num("Wrong routes")],
    [traffic.expected, ...traffic.sensitivity].map((point, index) => [
      `${formatPercentDown(point.out_of_scope_share)}${index === 0 ? " (expected)" : ""}`,
      point.coverage === null ? "none" : formatFixedPercent(point.coverage),
      point.false_route_rate === null ? "none" : formatFixedPercent(point.false_route_rate),
    ]),
  );

/** Formats a mean length or a share of some requests. */
const among = (sum: number, requests: number, format: (value: number) => string): string =>
  requests === 0 ? "none" : format(sum / requests);

function shortlistTable({ shortlist: found }: Calibration): ReportTable | null {
  if (found === undefined) return null;
  return reportTable(
    found.sentence,
    [
      num("Missed"),
      num("Upper limit"),
      num("Mean length"),
      num("Empty in scope"),
      num("Empty out of scope"),
      num("Minimum confidence for a list"),
      num("Minimum relative odds of a listed workflow"),
    ],
    [
      [
        `${formatCount(found.missed)} of ${formatCount(found.requests)}`,
        found.upper_bound === null ? "none" : formatPercentUp(found.upper_bound),
        among(found.listed, found.requests, (mean) => mean.toFixed(2)),
        among(found.empty, found.requests, formatTenthsPercent),
        among(found.out_of_scope_empty, found.out_of_scope, formatTenthsPercent),
        String(found.entry ?? "none"),
        String(found.share ?? "none"),
      ],
    ],
  );
}

function leftOut(calibration: Calibration) {
  const { tiers, certified_workflows, clarify_threshold, min_retrieval_score, claims } = calibration;
  const abstaining = usedTiers(calibration).filter((tier) => tiers[tier].confidence === null);
  return [
    ...abstaining.map((tier) => `Tier ${tier} routes nothing: ${statedReason(tiers[tier].abstain_reason)}.`),
    ...claims
      .filter(({ certified }) => !certified)
      .map((claim) => `Claim ${scopeName(claim.scope)}: ${statementOf(claim)}`),
    certified_workflows === null
      ? "Requests may also be routed to untested workflows."
      : `Requests are routed only to the ${counted(certified_workflows.length, "tested workflow")}; others are declined.`,
    `Requests whose best retrieval score is below ${min_retrieval_score} are declined.`,
    ...describeLanguages(calibration),
    ...describeSeveralWishes(calibration),
    clarify_threshold >= 1
      ? "Sluice asks for missing inputs only at confidence 1, so it almost never asks."
      : `Sluice asks for missing inputs at confidence ${clarify_threshold} or more. This threshold is an estimate, and no claim covers it.`,
  ];
}

const candidateTable = ({ calibrator_candidates: found }: Calibration): ReportTable =>
  reportTable(
    "Calibrators considered, with their held-out loss",
    ["Family", num("Loss per request, nats"), num("Standard error"), "Not used because"],
    found.map(({ family, held_out_loss, standard_error, refused }) => [
      family,
      held_out_loss === null ? "none" : formatProportion(held_out_loss),
      standard_error === null ? "none" : formatProportion(standard_error),
      refused ?? "",
    ]),
  );

const digestTable = (sha256: string, { digests }: Calibration): ReportTable =>
  reportTable(
    "Records behind this page",
    ["Record", "SHA-256"],
    [
      ["Calibration", sha256],
      ["Run", digests.run],
      ["Dataset", digests.dataset],
      ["Split", digests.split],
      ["Catalog", digests.catalog],
    ],
  );

export function buildCalibrationPage(input: CalibrationPageInput) {
  const { calibration, reliability, plan, links = [] } = input;
  const [claim, ...others] = calibration.claims;
  return {
    title: `Calibration ${calibration.calibration_version}`,
    certified: claim?.certified ?? false,
    reservation: planReservation(calibration),
    headline: headline(calibration),
    ...promiseOf(claim),
    facts: pageFacts(claim),
    warnings: [...calibration.warnings, ...adviceOf(calibration)],
    otherClaims: others.map((other) => ({ scope: scopeName(other.scope), sentence: statementOf(other) })),
    conditions: calibration.claims.map((each) => (each.certified ? conditionsTable(each, calibration) : null)),
    sweeps: calibration.claims.map((claim) => sweepView(claim, calibration)),
    tiers: tierTable(calibration),
    shortlist: shortlistTable(calibration),
    followUps: describeFollowUps(calibration),
    reliability:
      reliability === null
        ? null
        : {
            requests:
              reliability.fold === "eval"
                ? "Requests of fold EVAL, on which nothing was fitted."
                : `Requests of fold ${reliability.fold.toUpperCase()}; none is held out.`,
            before: reliabilityView(reliability.before, "Before calibration"),
            after: reliabilityView(reliability.after, "After calibration"),
          },
    risingRisk: risingRiskText(calibration),
    traffic: trafficTable(calibration),
    plan: plan === undefined ? null : planView(plan),
    leftOut: leftOut(calibration),
    fit: fitOptionTable(calibration),
    calibrator: calibratorText(calibration),
    candidates: candidateTable(calibration),
    digests: digestTable(input.calibrationSha256, calibration),
    links,
  };
}

/** Everything that the page of one calibration shows, formatted; its JSON form. */
export type CalibrationPage = ReturnType<typeof buildCalibrationPage>;

function looserField({ looser_targets, looser_share }: FitOptions): readonly (readonly [string, string])[] {
  if (looser_targets.length === 0) return [];
  const targets = looser_targets.map((target) => formatPercent(target, 2)).join(", ");
  return [
    ["Looser targets tested first", `${targets}, at the threshold that routes ${formatPercent(looser_share, 2)}`],
  ];
}

function optionRows(fit: FitOptions): readonly (readonly [string, string])[] {
  const required = riskTiers.flatMap((tier) => {
    const target = fit.required_tiers[tier];
    return target === null ? [] : [`${tier} at most ${formatPercent(target, 2)}`];
  });
  return [
    ["Claim", fit.claim],
    ["Planned target", `at most ${formatPercent(fit.target_risk, 2)} wrong`],
    ...looserField(fit),
    ["Tiers with a separate claim", required.length === 0 ? "none" : required.join(", ")],
    ["Probability that any claim fails", formatPercent(fit.delta, 2)],
    [
      "Parts of the cross-fit",
      fit.cross_fit === 1 ? "none: fitted on TUNE, tested on CERTIFY" : formatCount(fit.cross_fit),
    ],
    ["Calibrator", fit.calibrator ?? "that of the claim"],
    [
      "Out-of-scope share",
      fit.out_of_scope_share === null
        ? "that of the tested requests"
        : `${formatPercentDown(fit.out_of_scope_share)}, declared`,
    ],
    ["Background requests, used as out of scope in fitting only", formatCount(fit.background?.rows ?? 0)],
    ...(fit.drawn_routes === undefined
      ? [
          ["Errors allowed in the first test, in the order tried", fit.start_errors.join(", ")] as const,
          ["Correlation assumed at the start", String(fit.start_icc)] as const,
        ]
      : drawnRows(fit.drawn_routes)),
  ];
}

function drawnRows(drawn: DrawnRoutes): readonly (readonly [string, string])[] {
  const { threshold, stops, plan_sha256: plan, people, second_opinions: second, disagreements } = drawn;
  return [
    ["Threshold, fixed without labels", String(threshold)],
    ["Signs with 0, 1, 2, ... wrong routes at", `${stops.map(formatCount).join(", ")} draws`],
    ["Plan of the test", plan],
    ["People who judged", formatCount(people)],
    ["Second opinions that differ", `${formatCount(disagreements)} of ${formatCount(second)}`],
  ];
}

/** Options of the fit, which together with the scored records determine every byte of the calibration. */
function fitOptionTable({ fit }: Calibration): ReportTable {
  return reportTable("Options of the fit", ["Option", "Value"], optionRows(fit));
}

/** Describes the calibrator and its training data. */
function calibratorText({ calibrator, method }: Calibration): string {
  return (
    `Calibrator ${calibrator.family}, fitted on ${counted(calibrator.fitted_requests, "request")}, ` +
    `${formatCount(calibrator.fitted_errors)} wrong. Test: ${method}.`
  );
}
