import { reasonText } from "../../reports/reason-text.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { ShownDecision } from "../../workbench/demonstration/probe.js";

const meanings: Readonly<Record<string, string>> = {
  ROUTE: "run it",
  CLARIFY: "ask first",
  LLM_REQUIRED: "declined, use your fallback",
};

/** What it does, before anything happens. */
export const openingLines: readonly string[] = [
  "Sluice reads a request and names the one workflow that handles it, or declines.",
  "This demonstration runs every step, from labelled requests to a signed bundle on a server.",
  "",
];

/** The promise in one sentence for each claim. */
export function promiseLines({ claims }: Calibration): readonly string[] {
  return ["", "The signed claim:", ...claims.map(({ sentence }) => `  ${sentence}`)];
}

/** Three requests with their decisions and why. */
export function firstDecisionLines(decisions: readonly ShownDecision[]): readonly string[] {
  return ["", "Three requests just sent to it, and its decisions:", ...decisions.flatMap(decisionOf)];
}

function decisionOf(shown: ShownDecision): readonly string[] {
  const { text, decision, workflow_id: workflow, missing_inputs: missing, reason_code: reason, confidence } = shown;
  const inputs = missing.length === 0 ? "" : ` Ask for: ${missing.join(", ")}.`;
  return [
    `  "${text}"`,
    `    ${[decision, workflow ?? ""].join(" ").trim()} (${meanings[decision] ?? ""}), sure to ${confidence.toFixed(2)}: ${reasonText(reason)}${inputs}`,
  ];
}
