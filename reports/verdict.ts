import type { Rate } from "../src/domain/rate.js";
import { clopperPearsonUpper } from "../src/stats/clopper-pearson.js";
import { counted, formatCount, formatLower, formatProportion, formatUpper } from "../src/domain/number-text.js";
import type { Judgement } from "./report-model.js";

/** Above this number of requests, collecting more is not suggested. */
const mostRequests = 10_000_000;

/** Smallest number of routed requests with this share wrong and this clustering whose upper limit is the target or less. */
function requestsNeeded(rate: Rate, target: number): number | null {
  const share = rate.estimate ?? 0;
  const effect = Math.max(1, rate.designEffect ?? 1);
  const d = (1 - rate.confidence) / rate.sides;
  const shows = (n: number) => clopperPearsonUpper((share * n) / effect, n / effect, d) <= target;
  let failing = 0;
  let passing = 1;
  while (!shows(passing)) {
    failing = passing;
    passing *= 2;
    if (passing > mostRequests) return null;
  }
  while (passing - failing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (shows(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}

function enough(rate: Rate, target: number): string {
  if (target <= 0) return "";
  const needed = requestsNeeded(rate, target);
  if (needed === null) return ` No realistic number of requests with this share wrong shows ${String(target)}.`;
  const condition = rate.k === 0 ? "without an error" : "with the same share wrong";
  return ` To show at most ${String(target)}, about ${counted(needed, "routed request")} ${condition} would be enough.`;
}

/**
 * Judges a measured share of wrong routes against its target on the end of the interval: pass when the upper limit is
 * at most the target, fail when the lower limit is above it, otherwise NOT SHOWN with what would be enough.
 */
export function judgeRisk(risk: Rate, target: number): Judgement {
  if (risk.estimate === null || risk.lower === null || risk.upper === null) {
    return {
      verdict: "NOT SHOWN",
      reason: `No request was routed, so there is nothing to judge.${enough(risk, target)}`,
    };
  }
  const goal = String(target);
  if (risk.upper <= target) {
    return { verdict: "pass", reason: `The upper limit ${formatUpper(risk.upper)} is at most the target ${goal}.` };
  }
  if (risk.lower > target) {
    return { verdict: "fail", reason: `The lower limit ${formatLower(risk.lower)} is above the target ${goal}.` };
  }
  if (risk.estimate > target) {
    return {
      verdict: "NOT SHOWN",
      reason:
        `The measured share ${formatProportion(risk.estimate)} is above the target ${goal}, and the interval reaches ` +
        "to both sides of it. More requests of this kind are unlikely to turn this into a pass.",
    };
  }
  const counts = `${formatCount(risk.k)} wrong in ${formatCount(risk.n)}`;
  return {
    verdict: "NOT SHOWN",
    reason: `${counts} shows only at most ${formatUpper(risk.upper)}.${enough(risk, target)}`,
  };
}
