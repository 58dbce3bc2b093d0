import type { Workflow } from "./catalog.js";

/** A minimal workflow for others to extend. */
export const bareWorkflow: Omit<Workflow, "workflowId" | "name" | "description"> = {
  version: "1.0.0",
  owner: null,
  status: "active",
  riskTier: "low",
  sideEffect: "read_only",
  confirmation: "never",
  capabilities: [],
  exclusions: [],
  examples: [],
  requiredInputs: [],
  optionalInputs: [],
  eventTypes: [],
  metadata: {},
};
