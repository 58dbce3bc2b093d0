import type { RoutingPolicy } from "../../documents/policy.js";
import { SluiceError } from "../../base/error.js";
import { negationProblems } from "./negation.js";
import { severalWishesProblems } from "./several-wishes.js";

/**
 * Checks rules of a policy that its schema cannot express: tiers for events, and patterns that the linear-time engine accepts.
 * @param what  name of the document in messages, e.g. a file path
 * @throws {SluiceError} DOCUMENT_INVALID with every problem
 */
export function requireValidPolicy(policy: RoutingPolicy, what: string): RoutingPolicy {
  const { negation = null, several_wishes: several = null } = policy;
  const problems = [
    ...eventProblems(policy),
    ...(negation === null ? [] : negationProblems(negation)),
    ...(several === null ? [] : severalWishesProblems(several)),
  ];
  if (problems.length === 0) return policy;
  throw new SluiceError("DOCUMENT_INVALID", `${what}: ${problems.join("; ")}`, {
    hint: "Correct the named parts of the policy, or remove them.",
    details: { problems },
  });
}

function eventProblems({ exact_events }: RoutingPolicy): readonly string[] {
  const { allowed_tiers, abstaining_tiers = [] } = exact_events;
  return abstaining_tiers
    .filter((tier) => !allowed_tiers.includes(tier))
    .map((tier) => `exact_events: abstaining_tiers names ${tier}, which is not in allowed_tiers`);
}
