/** Random small catalogs and requests over a few words, for properties of whole routers. */
import fc from "fast-check";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { RouteRequest } from "../../src/documents/request.js";
import { aCatalog, anInput, aRouteRequest, aWorkflow } from "./builders.js";

const words = ["card", "order", "room", "invoice", "badge", "lamp", "block", "book", "show", "move", "lost", "new"];
const phrase = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((list) => list.join(" "));

const workflow = fc.record({
  name: phrase,
  description: phrase,
  examples: fc.array(phrase, { minLength: 1, maxLength: 3 }),
  risk_tier: fc.constantFrom(...riskTiers),
  status: fc.constantFrom("active", "active", "active", "disabled"),
  required_inputs: fc.constantFrom([], [], [anInput({ name: "day", pattern: "\\b(?P<value>monday)\\b" })]),
} satisfies Record<string, fc.Arbitrary<unknown>>);

/** Three to eight workflows named `area.w0`, `area.w1`, ...; the first is always active. */
export const smallCatalogs: fc.Arbitrary<Catalog> = fc
  .array(workflow, { minLength: 3, maxLength: 8 })
  .map((drawn) => aCatalog({ workflows: drawn.map((fields, index) => named(fields as Partial<Workflow>, index)) }));

function named(fields: Partial<Workflow>, index: number): Workflow {
  const status = index === 0 ? "active" : (fields.status ?? "active");
  return aWorkflow({ ...fields, status, workflow_id: `area.w${index}`, capabilities: [] });
}

/** Requests with random lists over the workflows of a catalog. */
export function smallRequests(catalog: Catalog, count: number): fc.Arbitrary<readonly RouteRequest[]> {
  const ids = catalog.workflows.map(({ workflow_id: workflowId }) => workflowId);
  const request = fc.record({
    text: fc.tuple(phrase, fc.constantFrom("", " monday")).map((parts) => parts.join("")),
    allowed_workflow_ids: fc.option(fc.subarray(ids)),
    blocked_workflow_ids: fc.subarray(ids, { maxLength: 2 }),
    debug: fc.boolean(),
  });
  return fc.array(request, { minLength: count, maxLength: count }).map((list) => list.map((one) => aRouteRequest(one)));
}
