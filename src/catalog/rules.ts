import { RE2JS } from "re2js";
import type { Catalog, ResolvableInput, Workflow } from "../domain/catalog.js";

/** Instructions of a compiled pattern: matching costs this times the length of the text, and cannot be interrupted. */
const maxPatternInstructions = 1000;

/** A broken rule, in words that name the workflow and the field. */
export type CatalogProblem = string;

/** Rules that every catalog must keep; empty when it does. */
export function catalogProblems(catalog: Catalog): readonly CatalogProblem[] {
  return [...duplicateIds(catalog), ...catalog.workflows.flatMap(workflowProblems)];
}

/** What production needs beyond that: an owner for every active workflow, and events that name one workflow each. */
export function productionProblems(catalog: Catalog): readonly CatalogProblem[] {
  const active = catalog.workflows.filter((w) => w.status === "active");
  const withoutOwner = active
    .filter((w) => w.owner === null || w.owner === "unknown")
    .map((w) => `${w.workflowId}: no owner`);
  const declared = new Map<string, string>();
  const ambiguous: CatalogProblem[] = [];
  for (const workflow of active) {
    for (const event of workflow.eventTypes) {
      const first = declared.get(event);
      if (first === undefined) declared.set(event, workflow.workflowId);
      else ambiguous.push(`event_type "${event}" is declared by ${first} and by ${workflow.workflowId}`);
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

function patternProblems(workflowId: string, input: ResolvableInput): readonly CatalogProblem[] {
  if (input.pattern === null) return [];
  const what = `${workflowId}: pattern of input "${input.name}"`;
  try {
    const size = RE2JS.compile(input.pattern, RE2JS.CASE_INSENSITIVE).programSize();
    if (size <= maxPatternInstructions) return [];
    return [`${what} is too expensive: ${size} instructions, at most ${maxPatternInstructions} are allowed`];
  } catch (error) {
    const why = error instanceof Error ? error.message : "not a pattern";
    return [`${what} is refused by the linear-time engine (${why})`];
  }
}
