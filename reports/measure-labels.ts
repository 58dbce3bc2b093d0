import type { MeasureName } from "../src/documents/comparison.js";

/** Names of the measures, the same on every page and in every output. */
export const measureLabels: Readonly<Record<MeasureName, string>> = {
  coverage: "Coverage",
  in_scope_right: "In scope, routed right",
  out_of_scope_routed: "Out-of-scope routed",
  joint_risk: "Wrong routes among all requests",
  selective_risk: "Selective risk",
};
