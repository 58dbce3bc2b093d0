import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { BundleChanges } from "./servable-bundle.js";

/** Events that the first two workflows of the builders declare, a low and a high one. */
export const events = { low: "order.asked", high: "refund.asked" } as const;

/** Changes of a bundle whose signed policy routes these events, in tiers low and high. */
export function withEvents(setting: Partial<RoutingPolicy["exact_events"]> = {}): BundleChanges {
  const exact_events = { enabled: true, allowed_tiers: ["low" as const, "high" as const], ...setting };
  const change = (
    files: Map<string, Buffer>,
    name: string,
    edit: (document: Record<string, unknown>) => void,
  ): void => {
    const document = JSON.parse(String(files.get(name))) as Record<string, unknown>;
    edit(document);
    files.set(name, canonicalBytes(document));
  };
  return {
    files: (files) => {
      change(files, "policy.json", (policy) => Object.assign(policy, { exact_events }));
      change(files, "catalog.yaml", (catalog) => {
        const [first, second] = catalog["workflows"] as { event_types: string[] }[];
        first?.event_types.push(events.low);
        second?.event_types.push(events.high);
      });
    },
    manifest: { exact_events },
  };
}
