import { counted } from "../../src/documents/number-text.js";
import type { Claim } from "../../src/documents/calibration.js";
import type { PairedMeasure } from "../../src/documents/comparison.js";
import { type GateMeasurements, measurementOf } from "./gate-metrics.js";
import type { BarRule, GateRule } from "./parse-gate.js";

/** Result of applying a gate to a run. */
export interface GateOutcome {
  readonly name: string;
  /** `not_shown`: a number is undefined, or there is too little evidence. */
  readonly verdict: "pass" | "fail" | "not_shown";
  readonly message: string;
}

export interface GateInput extends GateMeasurements {
  /** Claims of the calibration that applies to the run; null if there is none. */
  readonly claims: readonly Pick<Claim, "certified" | "scope" | "upper_bound">[] | null;
}

/** Tolerance for floating-point error when a number meets its bar exactly. */
const slack = 1e-12;

/** Checks a run against a gate. An undefined number never passes. */
export function applyGate(rule: GateRule, input: GateInput): GateOutcome {
  switch (rule.kind) {
    case "bar":
      return applyBar(rule, input);
    case "certified":
      return { name: rule.text, ...certified(input.claims) };
    case "no_regression":
      return { name: rule.text, ...noRegression(input.comparison?.measures ?? null) };
  }
}

type Judged = Omit<GateOutcome, "name">;

function certified(claims: GateInput["claims"]): Judged {
  if (claims === null || claims.length === 0) return { verdict: "not_shown", message: "no calibration decides" };
  const open = claims.filter((claim) => !claim.certified).map(({ scope }) => scope);
  if (open.length === 0)
    return { verdict: "pass", message: `${claims.length} of ${counted(claims.length, "claim")} certified` };
  return { verdict: "fail", message: `not certified: ${open.join(", ")}` };
}

function noRegression(measures: readonly PairedMeasure[] | null): Judged {
  if (measures === null) return { verdict: "not_shown", message: "no thresholds apply to both runs" };
  const defined = measures.filter(({ difference }) => difference.value !== null);
  const worse = defined.filter(({ verdict }) => verdict === "a_better");
  if (worse.length > 0)
    return { verdict: "fail", message: `worse than the baseline: ${worse.map(changeText).join(", ")}` };
  const open = defined.filter(({ verdict }) => verdict === "not_shown");
  if (defined.length === 0 || open.length > 0) {
    return { verdict: "not_shown", message: `too little evidence: ${open.map(changeText).join(", ") || "no measure"}` };
  }
  return { verdict: "pass", message: `no measure is worse: ${defined.map(changeText).join(", ")}` };
}

function changeText({ name, difference, band }: PairedMeasure): string {
  const ends = band === null ? "" : ` [${shown(band.lower)}, ${shown(band.upper)}]`;
  return `${name} ${difference.value === null ? "undefined" : shown(difference.value)}${ends}`;
}

function applyBar(rule: BarRule, input: GateInput): GateOutcome {
  const found = measurementOf(rule.metric, input.b, input)[rule.part] ?? claimLimit(rule, input);
  const reference = rule.factor === 0 || input.a === null ? 0 : measurementOf(rule.metric, input.a, input)[rule.part];
  const name = rule.text;
  if (found === null) return { name, verdict: "not_shown", message: `${rule.metric} is undefined` };
  if (reference === null || (rule.factor !== 0 && input.a === null)) {
    return { name, verdict: "not_shown", message: `${rule.metric} of A is undefined` };
  }
  const bar = rule.factor * reference + rule.offset;
  const verdict = holds(found, rule.operator, bar) ? "pass" : "fail";
  const part = rule.part === "value" ? "" : ` (${rule.part} end)`;
  return {
    name,
    verdict,
    message: `${rule.metric}${part} is ${shown(found)}, required ${rule.operator} ${shown(bar)}`,
  };
}

/** The limit of the claim that the requests tested, where it counts wrong routes that are declined now, too. */
function claimLimit({ metric, part }: BarRule, { b, claims }: GateInput): number | null {
  if (metric !== "selective_risk" || part !== "upper" || b.selective_risk.method !== "none") return null;
  return claims?.find(({ scope }) => scope === "overall")?.upper_bound ?? null;
}

function holds(found: number, operator: BarRule["operator"], bar: number): boolean {
  if (operator === "<=") return found <= bar + slack;
  if (operator === ">=") return found >= bar - slack;
  return operator === "<" ? found < bar - slack : found > bar + slack;
}

const shown = (value: number): string => String(Number(value.toFixed(6)));
