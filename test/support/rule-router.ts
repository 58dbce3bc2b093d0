/** A catalog with one workflow for each rule of the pipeline, and routers over it. */
import type { Catalog } from "../../src/documents/catalog.js";
import type { LoadedModels } from "../../src/router/load-models.js";
import { BundleRouter, type RouterParts } from "../../src/router/router.js";
import { aCalibration, aCatalog, anInput, aPolicy, aWorkflow, someWorkflows } from "./builders.js";

/** One workflow of each tier, one with an input, one that is disabled; three share an event. */
export const ruleCatalog: Catalog = aCatalog({
  workflows: [
    ...someWorkflows().map((workflow) => ({ ...workflow, event_types: ["shared.event"] })),
    aWorkflow({
      workflow_id: "data.erase",
      name: "Erase customer data",
      description: "Deletes everything stored about a customer.",
      risk_tier: "critical",
      side_effect: "destructive",
      confirmation: "always",
      capabilities: ["Delete personal data"],
      exclusions: ["Exports"],
      examples: ["erase all data about me", "delete my personal data"],
    }),
    aWorkflow({
      workflow_id: "rooms.book",
      name: "Book a room",
      description: "Reserves a meeting room for a day.",
      capabilities: ["Reserve a meeting room"],
      examples: ["book a room", "I need a meeting room on friday"],
      required_inputs: [anInput({ name: "day", pattern: "\\b(?P<value>(?:mon|fri)day)\\b" })],
      event_types: ["room.wanted"],
    }),
    aWorkflow({ workflow_id: "rooms.old", name: "Book a hall", status: "disabled", examples: ["book a hall"] }),
  ],
});

export const ruleCatalogIds: readonly string[] = ruleCatalog.workflows.map((workflow) => workflow.workflow_id);

/** A development router over `ruleCatalog`, with a clock that stands still. */
export function ruleRouter(models: LoadedModels, overrides: Partial<RouterParts> = {}): BundleRouter {
  return new BundleRouter({
    catalog: ruleCatalog,
    calibration: aCalibration(),
    policy: aPolicy(),
    models,
    runtimeMode: "development",
    bundleId: null,
    integrityProblems: () => [],
    now: () => 0,
    ...overrides,
  });
}
