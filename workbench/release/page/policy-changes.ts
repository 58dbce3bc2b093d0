import { toSnake } from "../../../src/domain/camel.js";
import { canonicalJson } from "../../../src/digest/canonical-json.js";
import type { RoutingPolicy, RoutingPolicyWire } from "../../../src/domain/policy.js";

type PlainField = Exclude<keyof RoutingPolicyWire, "schema_version" | "exact_events" | "guards">;

const labels: Readonly<Record<PlainField, string>> = {
  policy_version: "version of the policy",
  allowed_tiers: "tiers that may be routed",
  top_k: "candidates per request",
  sentinels: "ineligible workflows that are also scored",
  max_context_bytes: "largest context, bytes",
  pattern_budget_ms: "time for input patterns, milliseconds",
  deadline_ms: "deadline of a request, milliseconds",
  refuse_debug_in_production: "declines requests with debug in production",
};

/** What changed between two policies, in words; exact events are listed separately, where the manifest states them. */
export function policyChanges(before: RoutingPolicy, now: RoutingPolicy): readonly string[] {
  const [old, next] = [toSnake<RoutingPolicyWire>(before), toSnake<RoutingPolicyWire>(now)];
  const fields = Object.entries(labels) as readonly (readonly [PlainField, string])[];
  const changed = fields.flatMap(([field, label]) => {
    const [was, is] = [inWords(old[field]), inWords(next[field])];
    return was === is ? [] : [`${label}: ${was} before, ${is} now`];
  });
  return [...changed, ...guardChanges(old, next)];
}

function inWords(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? value.join(", ") || "none" : String(value);
}

/** Text guards by their id. */
function guardChanges(before: RoutingPolicyWire, now: RoutingPolicyWire): readonly string[] {
  const old = new Map(before.guards.map((guard) => [guard.guard_id, canonicalJson(guard)]));
  const next = new Map(now.guards.map((guard) => [guard.guard_id, canonicalJson(guard)]));
  const ids = [...new Set([...old.keys(), ...next.keys()])];
  const changed = ids.flatMap((id) => {
    const [was, is] = [old.get(id), next.get(id)];
    if (was === is) return [];
    if (was === undefined) return [`text guard ${id} added`];
    return [`text guard ${id} ${is === undefined ? "removed" : "has different words"}`];
  });
  const reordered = changed.length === 0 && [...old.keys()].join(" ") !== [...next.keys()].join(" ");
  return reordered ? ["text guards run in a different order"] : changed;
}
