import type { DetailedEvaluation } from "../src/domain/evaluation.js";
import { riskTiers } from "../src/domain/catalog.js";
import { SluiceError } from "../src/errors/error.js";
import type { Comparison } from "./compare.js";

/** A required bar, e.g. `selective_risk.upper<=0.05` or `coverage>=A-0.02`. */
export interface GateRule {
  /** As it was written. */
  readonly text: string;
  readonly metric: string;
  /** The number itself, or an end of its interval. */
  readonly part: "value" | "lower" | "upper";
  readonly operator: "<=" | ">=" | "<" | ">";
  /** The bar is `factor * A + offset`, A being the same number of the first run; factor 0: a plain number. */
  readonly factor: number;
  readonly offset: number;
}

export interface GateOutcome {
  readonly name: string;
  /** `not_shown`: a number is undefined. */
  readonly verdict: "pass" | "fail" | "not_shown";
  readonly message: string;
}

/** What gates look at: the second run is held against the bar. */
export interface GateInput {
  readonly a: DetailedEvaluation;
  readonly b: DetailedEvaluation;
  /** null where a run has no thresholds, so that nothing decides. */
  readonly comparison: Pick<Comparison, "total"> | null;
}

interface Measurement {
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

interface HasEstimate {
  readonly estimate: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}
interface HasValue {
  readonly value: number | null;
  readonly band: { readonly lower: number; readonly upper: number } | null;
}

const rate = ({ estimate, lower, upper }: HasEstimate): Measurement => ({ value: estimate, lower, upper });
const banded = ({ value, band }: HasValue): Measurement => ({
  value,
  lower: band?.lower ?? null,
  upper: band?.upper ?? null,
});

type Lookup = (evaluation: DetailedEvaluation) => Measurement;

const undefinedMeasurement: Measurement = { value: null, lower: null, upper: null };

const lookups: Readonly<Record<string, Lookup>> = {
  coverage: (e) => rate(e.coverage),
  in_scope_coverage: (e) => rate(e.inScopeCoverage),
  selective_risk: (e) => rate(e.selectiveRisk),
  joint_risk: (e) => rate(e.detail.risk.jointRisk),
  out_of_scope_routed: (e) => rate(e.outOfScopeRouted),
  near_oos_routed: (e) => populationRate(e, "near_oos"),
  far_oos_routed: (e) => populationRate(e, "far_oos"),
  in_scope_wrong: (e) => rate(e.detail.risk.inScopeWrong),
  verified_top1: (e) => rate(e.verifiedTop1),
  recall_at_1: (e) => rate(e.retrieval.top1),
  recall_at_5: (e) => rate(e.retrieval.recallAt5),
  recall_at_k: (e) => rate(e.retrieval.recallAtK),
  mrr: (e) => banded(e.detail.retrieval.meanReciprocalRank),
  clarify_precision: (e) => rate(e.detail.clarification.precision),
  clarify_recall: (e) => rate(e.detail.clarification.recall),
  missing_input_recall: (e) => rate(e.detail.clarification.missingInputRecall),
  aurc: (e) => banded(e.detail.curve.aurc),
  e_aurc: (e) => banded(e.detail.curve.excessAurc),
  augrc: (e) => banded(e.detail.curve.augrc),
  ece: (e) => banded(e.detail.calibration.equalWidthError),
  smooth_ece: (e) => banded(e.detail.calibration.smoothError),
  brier: (e) => banded(e.detail.calibration.brier),
  log_loss: (e) => banded(e.detail.calibration.logLoss),
  auroc: (e) => banded(e.detail.outOfScope.auroc),
  fpr95: (e) => banded(e.detail.outOfScope.falsePositiveAt95),
  ...Object.fromEntries(
    riskTiers.flatMap((tier): readonly (readonly [string, Lookup])[] => [
      [`${tier}.coverage`, (e) => tierRate(e, tier, "routed")],
      [`${tier}.selective_risk`, (e) => tierRate(e, tier, "selectiveRisk")],
    ]),
  ),
};

/** Counts of the comparison itself: the first run has none. */
const flipCounts = { flips: "flips", worse_flips: "worse", better_flips: "better" } as const;
type FlipMetric = keyof typeof flipCounts;
const isFlipMetric = (metric: string): metric is FlipMetric => Object.hasOwn(flipCounts, metric);

/** Every name that a gate can use. */
export const gateMetrics: readonly string[] = [...Object.keys(lookups), ...Object.keys(flipCounts)];

function populationRate(evaluation: DetailedEvaluation, population: "near_oos" | "far_oos"): Measurement {
  const found = evaluation.detail.outOfScope.apart.find((each) => each.population === population);
  return found === undefined ? undefinedMeasurement : rate(found.routed);
}

function tierRate(evaluation: DetailedEvaluation, tier: string, which: "routed" | "selectiveRisk"): Measurement {
  const found = evaluation.tiers.find((each) => each.tier === tier);
  return found === undefined ? undefinedMeasurement : rate(found[which]);
}

const number = String.raw`\d+(?:\.\d+)?(?:e-?\d+)?`;
const form = new RegExp(
  `^(?<name>[a-z0-9_]+(?:\\.[a-z_]+)*?)(?:\\.(?<part>lower|upper))?(?<operator><=|>=|<|>)(?:(?<plain>${number})|A(?:(?<sign>[+*-])(?<by>${number}))?)$`,
);

/**
 * Reads a gate: a metric of the second run, optionally `.lower` or `.upper`, an operator, and a number, or `A`, `A+x`,
 * `A-x`, `A*x` where A is the same number of the first run. Blanks do not matter.
 * @throws {SluiceError} USAGE
 */
export function parseGate(text: string): GateRule {
  const groups = form.exec(text.replace(/\s/g, ""))?.groups;
  if (groups === undefined) {
    throw new SluiceError("USAGE", `--gate: found "${text}", expected METRIC<=NUMBER or METRIC>=A-NUMBER`, {
      hint: "Example: sluice eval compare A B --gate 'selective_risk.upper<=0.05' --gate 'coverage>=A-0.02'",
    });
  }
  const { name = "", part, operator, plain, sign, by } = groups;
  if (!gateMetrics.includes(name)) {
    throw new SluiceError("USAGE", `--gate: found no metric "${name}"`, {
      hint: `Use one of ${gateMetrics.join(", ")}.`,
    });
  }
  if (isFlipMetric(name) && (plain === undefined || part !== undefined)) {
    throw new SluiceError("USAGE", `--gate: "${name}" compares both runs already, expected a plain number as its bar`, {
      hint: `Example: sluice eval compare A B --gate '${name}<=10'`,
    });
  }
  return {
    text,
    metric: name,
    part: (part as GateRule["part"] | undefined) ?? "value",
    operator: operator as GateRule["operator"],
    ...barOf(plain, sign, Number(by ?? 0)),
  };
}

function barOf(plain: string | undefined, sign: string | undefined, by: number): Pick<GateRule, "factor" | "offset"> {
  if (plain !== undefined) return { factor: 0, offset: Number(plain) };
  if (sign === "*") return { factor: by, offset: 0 };
  return { factor: 1, offset: sign === "-" ? -by : by };
}

/** Slack of a bar that is met up to floating-point error. */
const slack = 1e-12;

/** Holds the second run against a gate. An undefined number never passes. */
export function applyGate(rule: GateRule, input: GateInput): GateOutcome {
  const found = measurementOf(rule.metric, input.b, input)[rule.part];
  const reference = rule.factor === 0 ? 0 : measurementOf(rule.metric, input.a, input)[rule.part];
  if (found === null || reference === null) {
    const which = found === null ? "of B" : "of A";
    return { name: rule.text, verdict: "not_shown", message: `${rule.metric} ${which} is undefined` };
  }
  const bar = rule.factor * reference + rule.offset;
  const verdict = holds(found, rule.operator, bar) ? "pass" : "fail";
  const part = rule.part === "value" ? "" : ` (${rule.part} end)`;
  return {
    name: rule.text,
    verdict,
    message: `${rule.metric}${part} is ${shown(found)}, bar ${rule.operator} ${shown(bar)}`,
  };
}

function measurementOf(metric: string, of: DetailedEvaluation, { comparison }: GateInput): Measurement {
  if (isFlipMetric(metric)) return { ...undefinedMeasurement, value: comparison?.total[flipCounts[metric]] ?? null };
  return lookups[metric]?.(of) ?? undefinedMeasurement;
}

function holds(found: number, operator: GateRule["operator"], bar: number): boolean {
  if (operator === "<=") return found <= bar + slack;
  if (operator === ">=") return found >= bar - slack;
  return operator === "<" ? found < bar - slack : found > bar + slack;
}

const shown = (value: number): string => String(Number(value.toFixed(6)));
