import type { Catalog, ResolvableInput, Workflow } from "../../../src/documents/catalog.js";
import { command, say, SluiceError } from "../../../src/base/error.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";
import { suggest } from "../../../src/base/suggest.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { catalogShowSpec } from "../../specs/catalog.js";
import { checkCatalog } from "../../../stages/catalog.js";

export const catalogShow: WorkOf<typeof catalogShowSpec> = async (context, { file, workflow }) => {
  const { catalog } = await checkCatalog(file);
  return workflow === undefined ? listResult(context, file, catalog) : oneResult(find(catalog, workflow, file));
};

function listResult(context: CommandContext, file: string, catalog: Catalog): ResultParts {
  const workflows = catalog.workflows.map(
    ({ workflow_id: workflowId, name, status, risk_tier: riskTier, side_effect: sideEffect, owner }) => ({
      workflow_id: workflowId,
      name,
      status,
      risk_tier: riskTier,
      side_effect: sideEffect,
      owner,
    }),
  );
  const [first] = catalog.workflows;
  return {
    schema: "catalog-list@1",
    result: { catalog_version: catalog.catalog_version, sha256: catalog.sha256, workflows },
    lines: listLines(catalog.workflows),
    next: first === undefined ? [] : [context.next("catalog", "show", file, "--workflow", first.workflow_id)],
  };
}

function oneResult(workflow: Workflow): ResultParts {
  return { schema: "workflow@1", result: workflow, lines: workflowDetails(workflow) };
}

function find(catalog: Catalog, workflowId: string, file: string): Workflow {
  const found = catalog.workflows.find((workflow) => workflow.workflow_id === workflowId);
  if (found !== undefined) return found;
  const nearest = suggest(
    workflowId,
    catalog.workflows.map((workflow) => workflow.workflow_id),
  );
  throw new SluiceError("USAGE", `${file}: no workflow "${workflowId}" among ${catalog.workflows.length}`, {
    hint: nearest === null ? say`Run: ${command`sluice catalog show ${file}`}` : `Did you mean ${nearest}?`,
  });
}

/** One line per workflow, in file order. */
export function listLines(workflows: readonly Workflow[]): readonly string[] {
  const rows = workflows.map(
    ({ workflow_id: workflowId, risk_tier: riskTier, side_effect: sideEffect, status, owner }) => [
      workflowId,
      riskTier,
      sideEffect,
      status,
      owner ?? "no owner",
    ],
  );
  return table(rows, ["workflow", "risk", "side effect", "status", "owner"]);
}

export function workflowDetails(workflow: Workflow): readonly string[] {
  return [
    ...fields([
      ["workflow", workflow.workflow_id],
      ["name", workflow.name],
      ["version", workflow.version],
      ["owner", workflow.owner ?? "none"],
      ["status", workflow.status],
      ["risk tier", workflow.risk_tier],
      ["side effect", workflow.side_effect],
      ["confirmation", workflow.confirmation],
      ["events", workflow.event_types.join(", ") || "none"],
      ["description", workflow.description],
    ]),
    ...section("does", workflow.capabilities),
    ...section("does not", workflow.exclusions),
    ...section("examples", workflow.examples),
    ...section("required inputs", workflow.required_inputs.map(inputLine)),
    ...section("optional inputs", workflow.optional_inputs.map(inputLine)),
  ];
}

const section = (title: string, items: readonly string[]): readonly string[] =>
  items.length === 0 ? [] : ["", title, ...items.map((item) => `  ${item}`)];

const inputLine = (input: ResolvableInput): string =>
  `${input.name}${input.description === "" ? "" : `: ${input.description}`}${input.pattern === null ? "" : ` (pattern ${input.pattern})`}`;
