import type { ResolvableInput, Workflow } from "../../documents/catalog.js";
import type { WorkClocks } from "../../documents/run-scope.js";
import { SluiceError } from "../../base/error.js";
import type { TimeLeft } from "./bounded-text.js";
import type { PatternFindings } from "../../documents/text-scores.js";
import type { InputPatterns } from "./input-patterns.js";

/**
 * Time for all patterns of one request, shared by its candidates and counted from the first search. Measured in CPU
 * time, so that other work on the machine does not reduce it. CPU time is read only after as much wall time has passed,
 * because reading it at every check is too slow.
 */
export function patternBudget(totalMs: number, clocks: WorkClocks): TimeLeft {
  const { now, workedMs = now } = clocks;
  let workedBefore: number | null = null;
  let nextLook = 0;
  return {
    remainingMs: () => {
      const time = now();
      if (workedBefore === null) {
        workedBefore = workedMs();
        nextLook = time + totalMs;
      }
      if (time < nextLook) return nextLook - time;
      const unused = totalMs - (workedMs() - workedBefore);
      if (unused > 0) nextLook = time + unused;
      return unused;
    },
  };
}

export interface InputResolution {
  /** Names of required inputs without a value, in catalog order. */
  readonly missing: readonly string[];
  /** Whether the budget ran out before every input was searched for. */
  readonly timedOut: boolean;
}

/**
 * Whether a context value is usable. null, undefined, NaN, blank strings, empty lists and empty objects count as
 * missing; 0, false, and lists or objects with any content count as values.
 */
export function isPresent(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (typeof value === "string") return value.trim() !== "";
  if (typeof value === "number") return !Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object") return Object.keys(value).length > 0;
  return true;
}

/** The value of an enumerable own key of an object or list, ignoring its prototype; undefined if there is none. */
function ownValue(value: unknown, key: string): unknown {
  if (value === null || typeof value !== "object" || !Object.prototype.propertyIsEnumerable.call(value, key)) {
    return undefined;
  }
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** Looks up the name first, then each alias; each as a literal key first, then as a dotted path. */
function inContext(input: ResolvableInput, context: Readonly<Record<string, unknown>>): boolean {
  return [input.name, ...input.aliases].some(
    (key) => isPresent(ownValue(context, key)) || isPresent(key.split(".").reduce<unknown>(ownValue, context)),
  );
}

/** Whether the pattern of an input finds a value; `timed_out` if the budget ran out first. */
type InText = "found" | "absent" | "timed_out";

function inText(input: ResolvableInput, text: string, patterns: InputPatterns, budget: TimeLeft): InText {
  if (input.pattern === null) return "absent";
  try {
    return patterns.find(input, text, budget) === null ? "absent" : "found";
  } catch (error) {
    if (error instanceof SluiceError && error.code === "PATTERNS_TIMED_OUT") return "timed_out";
    throw error;
  }
}

/**
 * Determines which required inputs a request lacks: searches the context by name, alias or dotted path first, then the
 * text by pattern. Never depends on a model. After a time-out, no further pattern is tried.
 */
export function resolveInputs(
  workflow: Workflow,
  request: { readonly text: string; readonly context: Readonly<Record<string, unknown>> },
  patterns: InputPatterns,
  budget: TimeLeft,
): InputResolution {
  return resolveWith(workflow, request.context, (input) => inText(input, request.text, patterns, budget));
}

/**
 * Like `resolveInputs`, but with pattern matches that were found before. @param findings  for at least the required
 * inputs of this workflow
 */
export function resolveFound(
  workflow: Workflow,
  context: Readonly<Record<string, unknown>>,
  { absent, timedOut }: PatternFindings,
): InputResolution {
  return resolveWith(workflow, context, ({ pattern }) => {
    if (pattern === null || absent.has(pattern)) return "absent";
    return timedOut.has(pattern) ? "timed_out" : "found";
  });
}

/** Searches for the patterns of all required inputs of some workflows; after a time-out, for no further one. */
export function findRequiredInputs(
  workflows: readonly Pick<Workflow, "required_inputs">[],
  text: string,
  patterns: InputPatterns,
  budget: TimeLeft,
): PatternFindings {
  const absent = new Set<string>();
  const timedOut = new Set<string>();
  const seen = new Set<string>();
  for (const input of workflows.flatMap(({ required_inputs: requiredInputs }) => requiredInputs)) {
    if (input.pattern === null || seen.has(input.pattern)) continue;
    seen.add(input.pattern);
    const outcome = timedOut.size > 0 ? "timed_out" : inText(input, text, patterns, budget);
    if (outcome === "timed_out") timedOut.add(input.pattern);
    if (outcome === "absent") absent.add(input.pattern);
  }
  return { absent, timedOut };
}

/**
 * Like `findRequiredInputs`, but takes the patterns that a search of the whole catalog found. They count as timed out
 * if the budget is already spent.
 */
export function foundRequiredInputs(
  workflows: readonly Pick<Workflow, "required_inputs">[],
  found: readonly string[],
  budget: TimeLeft,
): PatternFindings {
  const patterns = new Set<string>();
  for (const { required_inputs: requiredInputs } of workflows)
    for (const { pattern } of requiredInputs) if (pattern !== null) patterns.add(pattern);
  if (budget.remainingMs() <= 0) return { absent: new Set(), timedOut: patterns };
  for (const pattern of found) patterns.delete(pattern);
  return { absent: patterns, timedOut: new Set() };
}

function resolveWith(
  workflow: Workflow,
  context: Readonly<Record<string, unknown>>,
  look: (input: ResolvableInput) => InText,
): InputResolution {
  const missing: string[] = [];
  let timedOut = false;
  for (const input of workflow.required_inputs) {
    if (inContext(input, context)) continue;
    const outcome = timedOut ? "timed_out" : look(input);
    if (outcome === "timed_out") timedOut = true;
    if (outcome !== "found") missing.push(input.name);
  }
  return { missing, timedOut };
}
