import type { Catalog, ResolvableInput, Workflow } from "../domain/catalog.js";
import { patternProblem } from "./pattern-problem.js";

/** A broken rule, in words that name the workflow and the field. */
export type CatalogProblem = string;

/** Rules that every catalog must keep; empty when it does. */
export function catalogProblems(catalog: Catalog): readonly CatalogProblem[] {
  return [...duplicateIds(catalog), ...catalog.workflows.flatMap(workflowProblems)];
}

/** One reason why a catalog may not go to production. */
export interface ProductionProblem {
  readonly workflowId: string;
  /** Field of the workflow that has to be written or changed. */
  readonly field: "owner" | "event_types";
  readonly message: CatalogProblem;
}

function ownerProblem({ workflowId, owner }: Workflow): readonly ProductionProblem[] {
  if (owner !== null && owner !== "unknown") return [];
  const found = owner === null ? 'the field "owner" is missing' : 'the field "owner" says "unknown"';
  return [{ workflowId, field: "owner", message: `${workflowId}: no owner: ${found}` }];
}

/** What production needs beyond that: an owner for every active workflow, and events that name one workflow each. */
export function productionProblems(catalog: Catalog): readonly ProductionProblem[] {
  const active = catalog.workflows.filter((w) => w.status === "active");
  const withoutOwner = active.flatMap(ownerProblem);
  const declared = new Map<string, string>();
  const ambiguous: ProductionProblem[] = [];
  for (const workflow of active) {
    for (const event of workflow.eventTypes) {
      const first = declared.get(event);
      if (first === undefined) declared.set(event, workflow.workflowId);
      else {
        const { workflowId } = workflow;
        const message = `event_type "${event}" is declared by ${first} and by ${workflowId}`;
        ambiguous.push({ workflowId, field: "event_types", message });
      }
    }
  }
  return [...withoutOwner, ...ambiguous];
}

function duplicateIds(catalog: Catalog): readonly CatalogProblem[] {
  const seen = new Set<string>();
  const problems: CatalogProblem[] = [];
  for (const [index, { workflowId }] of catalog.workflows.entries()) {
    if (seen.has(workflowId)) problems.push(`workflows[${index}]: duplicate workflow_id "${workflowId}"`);
    seen.add(workflowId);
  }
  return problems;
}

function workflowProblems(workflow: Workflow): readonly CatalogProblem[] {
  const problems: CatalogProblem[] = [];
  const acts = workflow.sideEffect === "external_write" || workflow.sideEffect === "destructive";
  if (acts && workflow.exclusions.length === 0) {
    problems.push(`${workflow.workflowId}: side_effect ${workflow.sideEffect} needs at least one exclusion`);
  }
  if (acts && workflow.confirmation === "never") {
    problems.push(`${workflow.workflowId}: side_effect ${workflow.sideEffect} needs a confirmation other than "never"`);
  }
  const inputs = [...workflow.requiredInputs, ...workflow.optionalInputs];
  const names = inputs.map((input) => input.name);
  if (new Set(names).size !== names.length) problems.push(`${workflow.workflowId}: two inputs have the same name`);
  return [...problems, ...inputs.flatMap((input) => patternProblems(workflow.workflowId, input))];
}

function patternProblems(workflowId: string, { name, pattern }: ResolvableInput): readonly CatalogProblem[] {
  const problem = pattern === null ? null : patternProblem(pattern);
  return problem === null ? [] : [`${workflowId}: pattern of input "${name}" ${problem}`];
}
