import type { ShortlistCalibration } from "../src/domain/calibration.js";
import {
  counted,
  formatCount,
  formatFixedPercentUp,
  formatPercent,
  formatTenthsPercent,
} from "../src/domain/number-text.js";
import type { Certification } from "./certify-claims.js";
import { confidenceText } from "./claim-sentence.js";

type Facts = Omit<ShortlistCalibration, "sentence">;

const meanOf = (sum: number, count: number): string => (sum / Math.max(1, count)).toFixed(2);

function measuredOn({ population, requests, workflows }: Facts, leftOut: boolean): string {
  if (population === "new_workflows") {
    return `${counted(requests, "request")} to ${counted(workflows, "workflow")} that it had never seen`;
  }
  const kind = leftOut ? "labelled request" : "new request";
  return `${counted(requests, kind)} to ${counted(workflows, "workflow")} of the catalog${leftOut ? ", by leave-one-out" : ""}`;
}

function emptyText({ outOfScope, outOfScopeEmpty }: Facts): string {
  if (outOfScope === 0) return "";
  return `, and nothing for ${formatTenthsPercent(outOfScopeEmpty / outOfScope)} of ${formatCount(outOfScope)} out of scope`;
}

/** What is missing where no shortlist is certified. */
function notCertified(facts: Facts): string {
  const { reason, requests, workflows, missed, reachable, size, trace } = facts;
  if (reason === "RISK_NOT_CERTIFIED") {
    return (
      `No shortlist is given: it would miss the right workflow of ${formatCount(missed)} of ${counted(requests, "request")}, upper ` +
      `limit ${formatFixedPercentUp(trace[0]?.upperBound ?? 1)}. The right one is among the first ${size} candidates of ${formatCount(reachable)}.`
    );
  }
  return (
    `No shortlist is given: ${counted(requests, "request")} in scope to ${counted(workflows, "workflow")} are too few to ` +
    "certify one."
  );
}

/** What keeps the planned target out of reach, where it is the candidates. */
function limitText({ plannedMiss, requests, reachable, size }: Facts): string {
  if (requests - reachable <= plannedMiss * requests) return "";
  return (
    ` No list of ${size} can miss ${formatPercent(plannedMiss)} here: the right one is among the first ${size} candidates of ` +
    `${formatTenthsPercent(reachable / requests)} of the requests.`
  );
}

/** The one sentence that is printed and signed for shortlists, certified or not. */
export function shortlistSentence(
  facts: Facts,
  { leftOut, attempt }: Pick<Certification, "leftOut" | "attempt">,
): string {
  if (!facts.certified) return notCertified(facts);
  const { targetMiss, delta, requests, missed, listed, size } = facts;
  return (
    `Of the requests in scope, at most ${formatPercent(targetMiss)} get a shortlist without the right workflow ` +
    `(${confidenceText({ delta, requests }, attempt)}). Measured on ${measuredOn(facts, leftOut)}: ` +
    `${formatCount(missed)} missed of ${formatCount(requests)}. It lists ${meanOf(listed, requests)} workflows on average, ` +
    `${size} at most${emptyText(facts)}.${limitText(facts)}`
  );
}
