import { printable } from "../../../src/artifacts/printable.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { reproductionText } from "../../../workbench/reproduction/stated-reproduction.js";
import type { KeptDecision } from "../../../workbench/release/kept-decisions.js";

export const decisionWords = { approve: "approved", reject: "rejected" } as const;

/** A decision in words: by whom, for how long, where it is kept, and why. */
export function decisionText(decision: KeptDecision): string {
  const reason = decision.reason === "" ? "" : `, "${printable(decision.reason)}"`;
  const validity = `${decision.not_before} to ${decision.expires}`;
  const gates = decision.gate_override;
  const override = gates === null ? "" : `, overrides failed gates: "${printable(gates)}"`;
  const derived = decision.reproduction === null ? "" : `, ${reproductionText(decision.reproduction)}`;
  const entry = `entry ${decision.entry} (${shortId(decision.record)})`;
  return `by ${printable(decision.approver)}, ${validity}, ${entry}${reason}${override}${derived}`;
}
