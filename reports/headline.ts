import type { Calibration } from "../src/documents/calibration.js";
import { formatCount, formatPercent } from "../src/documents/number-text.js";
import { type Badge, badgeOf, factList, type Fact, type Verdict } from "./blocks.js";

/** The claim that readers ask for first: overall; without one, the first certified claim; otherwise the first. */
export const mainClaim = ({ claims }: Pick<Calibration, "claims">): Calibration["claims"][number] | undefined =>
  claims.find(({ scope }) => scope === "overall") ?? claims.find(({ certified }) => certified) ?? claims[0];

/** Whether no target as strict as the planned one was certified. */
export function missedPlan({ claims, fit }: Pick<Calibration, "claims" | "fit">): boolean {
  const claim = mainClaim({ claims });
  return claim === undefined || !claim.certified || claim.target_risk > fit.target_risk;
}

/**
 * The four numbers of a calibration: its promise, the share of requests that is routed, the wrong routes of its test, and the
 * planned target.
 */
export function headline(calibration: Calibration): readonly Fact[] {
  const { fit, traffic } = calibration;
  const claim = mainClaim(calibration);
  if (claim === undefined) return [];
  const { coverage } = traffic.expected;
  return factList([
    ["Promise", claim.certified ? `at most ${formatPercent(claim.target_risk)} wrong` : "none"],
    ["Routed", claim.certified && coverage !== null ? formatPercent(coverage, 1) : "nothing"],
    ["Wrong when tested", claim.certified ? `${formatCount(claim.errors)} of ${formatCount(claim.routed)}` : "none"],
    ["Planned", `at most ${formatPercent(fit.target_risk)}${missedPlan(calibration) ? ": missed" : ""}`],
  ]);
}

/** The headline as one line, for example "at most 10% wrong; 60.6% routed; 6 of 131 wrong when tested". */
export function headlineText(calibration: Calibration): string {
  const [promise, routed, wrong] = headline(calibration);
  if (promise === undefined || promise.value === "none") return "nothing promised, nothing routed";
  return `${promise.value}; ${routed?.value} routed; ${wrong?.value} wrong when tested`;
}

/** The headline with the planned target, if it was missed. */
export const plannedHeadline = (calibration: Calibration): string =>
  missedPlan(calibration)
    ? `${headlineText(calibration)}; planned at most ${formatPercent(calibration.fit.target_risk)}`
    : headlineText(calibration);

/** The badge of a verdict: a pass with a reservation does not look like one without. */
export function badgeWith(verdict: Verdict, reservation: string | null): Badge {
  const badge = badgeOf(verdict);
  return verdict === "pass" && reservation !== null ? { word: `${badge.word}: ${reservation}`, tone: "unsure" } : badge;
}
