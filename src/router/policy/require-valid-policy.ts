import { RE2JS } from "re2js";
import type { TextGuard } from "../../documents/guard.js";
import type { RoutingPolicy } from "../../documents/policy.js";
import { SluiceError } from "../../base/error.js";
import { compilePatterns, guardWords } from "./guards/compile-guards.js";

/**
 * Maximum total number of instructions in a guard's patterns; reading a text takes at most this number times its
 * length.
 */
const maxGuardInstructions = 1000;

/**
 * Checks rules of a policy that its schema cannot express: tiers for events, distinct guard ids, patterns that the
 * linear-time engine accepts, and words that can occur in a text.
 * @param what  name of the document in messages, e.g. a file path
 * @throws {SluiceError} DOCUMENT_INVALID with every problem
 */
export function requireValidPolicy(policy: RoutingPolicy, what: string): RoutingPolicy {
  const ids = policy.guards.map((guard) => guard.guard_id);
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  const problems = [
    ...eventProblems(policy),
    ...twice.map((id) => `two guards are named "${id}"`),
    ...policy.guards.flatMap((guard) => (guard.kind === "open_ended" ? patternProblems(guard) : wordProblems(guard))),
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

function wordProblems({
  guard_id,
  conjunctions,
  verbs,
}: Extract<TextGuard, { kind: "multi_action" }>): readonly string[] {
  return [...conjunctions, ...verbs]
    .filter((word) => guardWords(word).join(" ") !== word || guardWords(word).length > 1)
    .map((word) => `${guard_id}: "${word}" is not one lower-case word`);
}

function patternProblems(guard: Extract<TextGuard, { kind: "open_ended" }>): readonly string[] {
  const refused = guard.patterns.flatMap((pattern, index) => refusal(pattern, `${guard.guard_id}: patterns[${index}]`));
  if (refused.length > 0) return refused;
  const size = compilePatterns(guard.patterns).programSize();
  if (size <= maxGuardInstructions) return [];
  return [
    `${guard.guard_id}: the patterns are too expensive: ${size} instructions, at most ${maxGuardInstructions} are allowed`,
  ];
}

function refusal(pattern: string, what: string): readonly string[] {
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : "not a pattern";
    return [`${what} is refused by the linear-time engine (${why})`];
  }
}
