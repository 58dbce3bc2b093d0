import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { riskTiers } from "./catalog.js";
import { TextGuardSchema } from "./guard.js";
import { closed } from "./primitives.js";

/** Routing by an exact event. The manifest records the same values. */
export const ExactEventsSchema = Type.Object(
  {
    enabled: Type.Boolean(),
    /** Tiers that an event may be routed to. */
    allowed_tiers: Type.Array(Type.Enum([...riskTiers])),
    /** Those of them that an event may be routed to although the calibration abstains there; none when absent. */
    abstaining_tiers: Type.Optional(Type.Array(Type.Enum([...riskTiers]))),
  },
  closed,
);
export type ExactEvents = Camel<Static<typeof ExactEventsSchema>>;

/** What the operator allows, apart from thresholds. Signed by digest in the manifest. */
export const RoutingPolicySchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    policy_version: Type.String({ minLength: 1, maxLength: 160 }),
    /** Tiers that may be routed at all. */
    allowed_tiers: Type.Array(Type.Enum([...riskTiers])),
    /** Candidates per request, 1 to 64. */
    top_k: Type.Integer({ minimum: 1, maximum: 64 }),
    /** Ineligible workflows that outrank eligible ones and are scored too, 0 to 16. */
    sentinels: Type.Integer({ minimum: 0, maximum: 16 }),
    exact_events: ExactEventsSchema,
    max_context_bytes: Type.Integer({ minimum: 1024, maximum: 4_194_304 }),
    /** Total time for all input patterns of one request. */
    pattern_budget_ms: Type.Number({ minimum: 0.1, maximum: 1000 }),
    /** Deadline of one request over queue and models. */
    deadline_ms: Type.Integer({ minimum: 1, maximum: 60_000 }),
    /** Vetoes on the text, tried in order. The words are part of the policy, so its digest covers them. */
    guards: Type.Array(TextGuardSchema, { maxItems: 16 }),
    /** true: a production request with `debug` is declined; false: it is answered without candidates. */
    refuse_debug_in_production: Type.Boolean(),
  },
  closed,
);
export type RoutingPolicyWire = Static<typeof RoutingPolicySchema>;
export type RoutingPolicy = Camel<RoutingPolicyWire>;

export const defaultPolicy: RoutingPolicyWire = {
  schema_version: 1,
  policy_version: "default-1",
  allowed_tiers: ["low", "medium", "high", "critical"],
  top_k: 8,
  sentinels: 3,
  exact_events: { enabled: false, allowed_tiers: ["low"] },
  max_context_bytes: 65_536,
  pattern_budget_ms: 25,
  deadline_ms: 2000,
  guards: [],
  refuse_debug_in_production: false,
};
