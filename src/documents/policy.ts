import { defaultLanguageRule } from "../base/language.js";
import { Type } from "../base/typebox.js";
import { riskTiers } from "./choices.js";
import { englishNegation, NegationSchema } from "./negation.js";
import { object, ProbabilitySchema, type ReadonlyStatic } from "./primitives.js";
import { englishSeveralWishes, SeveralWishesSchema } from "./several-wishes.js";

const tiers = (description: string) => Type.Array(Type.Enum([...riskTiers]), { description });

/** Settings of routing by exact event. The manifest repeats them. */
export const ExactEventsSchema = object({
  enabled: Type.Boolean(),
  allowed_tiers: tiers("Tiers that an event may be routed to."),
  abstaining_tiers: Type.Optional(
    tiers(
      "The subset of these tiers that an event may be routed to even if the calibration abstains there; by default none.",
    ),
  ),
});
export type ExactEvents = ReadonlyStatic<typeof ExactEventsSchema>;

/** How the language of a text is read; the calibration has the languages that routes may be in. */
export const LanguageGateSchema = object({
  leads: Type.Array(object({ words: Type.Integer({ minimum: 1, maximum: 100 }), lead: ProbabilitySchema }), {
    minItems: 1,
    maxItems: 20,
    description:
      "By number of words, ascending: a text with so many may be in each language whose score is at most this below the best. The language of a shorter text is not read.",
  }),
  other_script: Type.Number({
    ...ProbabilitySchema,
    description: "Share of letters in another script from which these letters alone are read.",
  }),
});

/** The operator's rules, except thresholds. The manifest contains their digest. */
export const RoutingPolicySchema = object({
  schema_version: Type.Literal(1),
  policy_version: Type.String({
    minLength: 1,
    maxLength: 160,
    description: "Version of the policy, free text; recorded in runs and manifests.",
  }),
  allowed_tiers: tiers("Tiers that may be routed at all."),
  top_k: Type.Integer({ minimum: 1, maximum: 64, description: "Candidates per request." }),
  ineligible_competitors: Type.Integer({
    minimum: 0,
    maximum: 16,
    description: "Number of higher-ranked ineligible workflows to score as well; if one wins, the router declines.",
  }),
  exact_events: ExactEventsSchema,
  max_context_bytes: Type.Integer({
    minimum: 1024,
    maximum: 4_194_304,
    description: "Largest context of a request.",
  }),
  pattern_budget_ms: Type.Number({
    minimum: 0.1,
    maximum: 1000,
    description: "Total time for all input patterns of one request.",
  }),
  deadline_ms: Type.Integer({
    minimum: 1,
    maximum: 60_000,
    description: "Deadline of one request, including time in the queue and in the models.",
  }),
  negation: Type.Optional(
    Type.Union([NegationSchema, Type.Null()], {
      description:
        "Words that say what is not wanted; a text that says so of the workflow it would be routed to is declined. By default the English words; null: none.",
    }),
  ),
  several_wishes: Type.Optional(
    Type.Union([SeveralWishesSchema, Type.Null()], {
      description:
        "How two wishes in one text are recognised; the calibration has the threshold, fitted on the project's own requests. By default the English words; null: none.",
    }),
  ),
  language_gate: Type.Optional(
    Type.Union([LanguageGateSchema, Type.Null()], {
      description:
        "How the language of a text is read; a text that can be in none of those that the calibration covers is declined. By default from two words; null: never.",
    }),
  ),
  refuse_debug_in_production: Type.Boolean({
    description: "true: decline production requests with debug; false: respond without candidates.",
  }),
  ask_between: Type.Optional(
    Type.Boolean({
      description:
        "true: if only thresholds stop a route and the shortlist has two or three workflows, CLARIFY with these; by default the request is declined.",
    }),
  ),
});
export type RoutingPolicy = ReadonlyStatic<typeof RoutingPolicySchema>;

export const defaultPolicy: RoutingPolicy = {
  schema_version: 1,
  policy_version: "default-1",
  allowed_tiers: ["low", "medium", "high", "critical"],
  top_k: 8,
  ineligible_competitors: 3,
  exact_events: { enabled: false, allowed_tiers: ["low"] },
  max_context_bytes: 65_536,
  pattern_budget_ms: 25,
  deadline_ms: 2000,
  negation: englishNegation,
  several_wishes: englishSeveralWishes,
  language_gate: defaultLanguageRule,
  refuse_debug_in_production: false,
};
