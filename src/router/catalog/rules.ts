import type { Catalog, ResolvableInput, Workflow } from "../../documents/catalog.js";
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";

export interface CatalogProblem {
  /** JSON pointer of the field in the file. */
  readonly path: string;
  /** Names the workflow and the field. */
  readonly message: string;
}

export function catalogProblems(catalog: Catalog): readonly CatalogProblem[] {
  return [
    ...duplicateIds(catalog),
    ...catalog.workflows.flatMap((workflow, index) => workflowProblems(workflow, `/workflows/${index}`)),
  ];
}

/** A reason why a catalog is not fit for production. */
export interface ProductionProblem {
  readonly workflowId: string;
  /** Field of the workflow that has to be added or changed. */
  readonly field: "owner" | "event_types";
  readonly message: string;
}

function ownerProblem({ workflow_id: workflowId, owner }: Workflow): readonly ProductionProblem[] {
  if (owner !== null && owner !== "unknown") return [];
  const found = owner === null ? 'the field "owner" is missing' : 'the field "owner" says "unknown"';
  return [{ workflowId, field: "owner", message: `${workflowId}: no owner: ${found}` }];
}

/**
 * Additional requirements of production: every active workflow has an owner, and each event is declared by one workflow
 * only.
 */
export function productionProblems(catalog: Catalog): readonly ProductionProblem[] {
  const active = catalog.workflows.filter((w) => w.status === "active");
  const withoutOwner = active.flatMap(ownerProblem);
  const declared = new Map<string, string>();
  const ambiguous: ProductionProblem[] = [];
  for (const workflow of active) {
    for (const event of workflow.event_types) {
      const first = declared.get(event);
      if (first === undefined) declared.set(event, workflow.workflow_id);
      else {
        const { workflow_id: workflowId } = workflow;
        const message = `event_type "${event}" is declared by both ${first} and ${workflowId}`;
        ambiguous.push({ workflowId, field: "event_types", message });
      }
    }
  }
  return [...withoutOwner, ...ambiguous];
}

/** Maximum number of workflows that a message names; the others are counted. */
const namedWorkflows = 5;

/** The problems as lines of a message; all workflows without an owner share one line. */
export function productionProblemLines(catalog: Catalog): readonly string[] {
  const problems = productionProblems(catalog);
  const withoutOwner = problems.filter(({ field }) => field === "owner");
  const rest = problems.filter(({ field }) => field !== "owner").map(({ message }) => message);
  if (withoutOwner.length <= 1) return [...withoutOwner.map(({ message }) => message), ...rest];
  const ids = withoutOwner.slice(0, namedWorkflows).map(({ workflowId }) => workflowId);
  const hidden = withoutOwner.length - ids.length;
  const named = `${ids.join(", ")}${hidden > 0 ? ` and ${hidden} more` : ""}`;
  return [`${withoutOwner.length} workflows have no owner: ${named}`, ...rest];
}

function duplicateIds(catalog: Catalog): readonly CatalogProblem[] {
  const seen = new Set<string>();
  const problems: CatalogProblem[] = [];
  for (const [index, { workflow_id: workflowId }] of catalog.workflows.entries()) {
    const message = `workflows[${index}]: duplicate workflow_id "${workflowId}"`;
    if (seen.has(workflowId)) problems.push({ path: `/workflows/${index}/workflow_id`, message });
    seen.add(workflowId);
  }
  return problems;
}

function workflowProblems(workflow: Workflow, path: string): readonly CatalogProblem[] {
  const {
    workflow_id: workflowId,
    side_effect: sideEffect,
    required_inputs: requiredInputs,
    optional_inputs: optionalInputs,
  } = workflow;
  const problems: CatalogProblem[] = [];
  const acts = sideEffect === "external_write" || sideEffect === "destructive";
  if (acts && workflow.exclusions.length === 0) {
    const message = `${workflowId}: side_effect ${sideEffect} needs at least one exclusion`;
    problems.push({ path: `${path}/side_effect`, message });
  }
  if (acts && workflow.confirmation === "never") {
    const message = `${workflowId}: side_effect ${sideEffect} needs a confirmation other than "never"`;
    problems.push({ path: `${path}/side_effect`, message });
  }
  const names = [...requiredInputs, ...optionalInputs].map((input) => input.name);
  if (new Set(names).size !== names.length) {
    problems.push({ path, message: `${workflowId}: two inputs have the same name` });
  }
  return [
    ...problems,
    ...requiredInputs.flatMap((input, index) => patternProblems(workflowId, input, `${path}/required_inputs/${index}`)),
    ...optionalInputs.flatMap((input, index) => patternProblems(workflowId, input, `${path}/optional_inputs/${index}`)),
  ];
}

function patternProblems(
  workflowId: string,
  { name, pattern }: ResolvableInput,
  path: string,
): readonly CatalogProblem[] {
  const problem = pattern === null ? null : patternProblem(pattern);
  if (problem === null) return [];
  return [{ path: `${path}/pattern`, message: `${workflowId}: pattern of input "${name}" ${problem}` }];
}

/**
 * Maximum number of instructions of a compiled pattern; a search takes at most this number times the length of the
 * text.
 */
const maxPatternInstructions = 1000;

/** A construct of backtracking engines: how the linear-time engine reports it, and what to write instead. */
interface UnsupportedConstruct {
  readonly reported: RegExp;
  readonly name: string;
  readonly instead: string;
}

const valueGroup = "mark the value with (?P<value>...)";
const unsupported: readonly UnsupportedConstruct[] = [
  { reported: /^\(\?=/, name: "a lookahead (?=...)", instead: `write what follows after the value and ${valueGroup}` },
  {
    reported: /^\(\?!/,
    name: "a negative lookahead (?!...)",
    instead: "write out what may follow instead of what may not",
  },
  {
    reported: /^\(\?<=/,
    name: "a lookbehind (?<=...)",
    instead: `write what precedes before the value and ${valueGroup}`,
  },
  {
    reported: /^\(\?<!/,
    name: "a negative lookbehind (?<!...)",
    instead: "write out what may precede instead of what may not, or use \\b",
  },
  {
    reported: /^(?:\\[1-9gk]|\(\?P=)/,
    name: "a back reference",
    instead: "write the alternatives out, or repeat the group's pattern",
  },
  { reported: /^\(\?>/, name: "an atomic group (?>...)", instead: "write (?:...): this engine never backtracks" },
  {
    reported: /^(?:[*+?]|\{[\d,]*\})\+$/,
    name: "a possessive quantifier",
    instead: "leave its + out: this engine never backtracks",
  },
];

/**
 * Why an input's pattern is refused, phrased to follow "the pattern ..."; null if the pattern is valid. Patterns are
 * RE2 syntax, matched case-insensitively; a named group is `(?P<value>...)` or `(?<value>...)`.
 */
export function patternProblem(pattern: string): string | null {
  try {
    const size = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize();
    if (size <= maxPatternInstructions) return null;
    return `is too expensive: ${size} instructions, at most ${maxPatternInstructions} are allowed`;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reported = reportedPart(error, pattern);
    const construct = unsupported.find((one) => one.reported.test(reported));
    if (construct === undefined) return `is refused by the linear-time engine (${error.message})`;
    return `uses ${construct.name}, which the linear-time engine does not have: ${construct.instead}`;
  }
}

/**
 * The part of the pattern that the engine reports. For a Python back reference, as for `(?P>`, it reports only `(?P`.
 */
function reportedPart(error: RE2JSException, pattern: string): string {
  const part = error instanceof RE2JSSyntaxException ? (error.getPattern() ?? "") : "";
  return part === "(?P" && pattern.includes("(?P=") ? "(?P=" : part;
}
