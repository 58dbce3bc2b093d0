import type { Calibration } from "../documents/calibration.js";
import type { RiskTier } from "../documents/choices.js";
import type { Decision } from "../documents/decision.js";
import type { RoutingPolicy } from "../documents/policy.js";
import type { RouteRequest } from "../documents/request.js";
import type { WorkClocks } from "../documents/run-scope.js";
import type { InputPatterns } from "./inputs/input-patterns.js";
import { patternBudget, resolveInputs } from "./inputs/resolve.js";
import { declineBeforeScoring } from "./policy/decide.js";
import type { EligibleWorkflows } from "./policy/eligibility.js";

export interface ExactEventContext extends WorkClocks {
  readonly policy: Pick<RoutingPolicy, "exact_events" | "pattern_budget_ms">;
  readonly calibration: Pick<Calibration, "tiers">;
  readonly eligible: Pick<EligibleWorkflows, "declaring">;
  readonly patterns: InputPatterns;
}

/**
 * Routes by exact event if the signed policy enables it and exactly one eligible workflow of a permitted tier declares
 * the event. Declines if several declare it. A tier that abstains is permitted only if the policy lists it for that
 * case as well. Inputs must still be complete.
 * @returns null if the rule does not apply, and the text decides
 */
export function decideByEvent(request: RouteRequest, context: ExactEventContext): Decision | null {
  const { exact_events, pattern_budget_ms } = context.policy;
  const { event_type: eventType } = request;
  if (!exact_events.enabled || eventType === null) return null;
  const [workflow, second] = context.eligible.declaring(eventType);
  if (second !== undefined) return declineBeforeScoring("AMBIGUOUS_EVENT_RULE");
  if (workflow === undefined || !isPermitted(workflow.risk_tier, context)) return null;

  const budget = patternBudget(pattern_budget_ms, context);
  const { missing, timedOut } = resolveInputs(workflow, request, context.patterns, budget);
  if (timedOut) return declineBeforeScoring("INPUT_EXTRACTION_TIMEOUT");
  const chosen = { workflow_id: workflow.workflow_id, confidence: 1, margin: null, risk_tier: workflow.risk_tier };
  if (missing.length > 0) {
    return { decision: "CLARIFY", reason_code: "EXACT_EVENT_MISSING_INPUT", missing_inputs: missing, ...chosen };
  }
  return { decision: "ROUTE", reason_code: "EXACT_EVENT_RULE", missing_inputs: [], ...chosen };
}

function isPermitted(tier: RiskTier, { policy: { exact_events }, calibration }: ExactEventContext): boolean {
  const { allowed_tiers, abstaining_tiers = [] } = exact_events;
  const abstains = calibration.tiers[tier].confidence === null;
  return allowed_tiers.includes(tier) && (!abstains || abstaining_tiers.includes(tier));
}
