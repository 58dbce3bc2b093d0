import type { Workflow } from "./catalog.js";

/** A minimal workflow to extend. */
export const bareWorkflow: Omit<Workflow, "workflow_id" | "name" | "description"> = {
  version: "1.0.0",
  owner: null,
  status: "active",
  risk_tier: "low",
  side_effect: "read_only",
  confirmation: "never",
  capabilities: [],
  exclusions: [],
  examples: [],
  required_inputs: [],
  optional_inputs: [],
  event_types: [],
  metadata: {},
};
