import { RE2JS, RE2Set } from "re2js";
import type { Catalog, ResolvableInput, Workflow } from "../domain/catalog.js";
import { unbounded } from "../domain/run-scope.js";
import { factsOf, type PatternFacts } from "./pattern-facts.js";
import { BoundedText, requireTime, type TimeLeft } from "./bounded-text.js";

/** Compiled patterns of a catalog, one per distinct pattern text; linear-time matching (RE2). */
export interface InputPatterns {
  /**
   * Value of the input in the text, null when the pattern does not match or there is none.
   * @param timeLeft  aborts a running search; unbounded by default
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  find(input: ResolvableInput, text: string, timeLeft?: TimeLeft): string | null;
  /**
   * Every pattern of the catalog that finds a value in the text: many patterns in one pass, much cheaper than one
   * search for each.
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  found(text: string, timeLeft?: TimeLeft): readonly string[];
  /** The distinct patterns of the catalog, in an order that depends on nothing else. */
  readonly list: readonly string[];
  /** Share of the catalog's workflows that declare this very pattern, in (0, 1]; 1 for an input without one. */
  commonness(input: ResolvableInput): number;
}

interface CompiledPattern {
  readonly pattern: string;
  readonly regex: RE2JS;
  readonly hasValueGroup: boolean;
  readonly facts: PatternFacts;
}

/** Patterns of one automaton: its states multiply with the patterns, and so does the time until they are all made. */
const patternsPerSet = 8;

/** Patterns that are looked for together. */
interface PatternSet {
  readonly patterns: readonly CompiledPattern[];
  /** All of them do. */
  readonly needsDigit: boolean;
  readonly automaton: RE2Set;
}

const inputsOf = (workflow: Workflow): readonly ResolvableInput[] => [
  ...workflow.requiredInputs,
  ...workflow.optionalInputs,
];

function compilePattern(pattern: string): CompiledPattern {
  const regex = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  return { pattern, regex, hasValueGroup: "value" in regex.namedGroups(), facts: factsOf(regex) };
}

function compileSets(patterns: readonly CompiledPattern[], needsDigit: boolean): readonly PatternSet[] {
  const wanted = patterns.filter(({ facts }) => facts.needsDigit === needsDigit);
  const sets: PatternSet[] = [];
  for (let from = 0; from < wanted.length; from += patternsPerSet) {
    const some = wanted.slice(from, from + patternsPerSet);
    const automaton = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE);
    for (const { pattern } of some) automaton.add(pattern);
    automaton.compile();
    sets.push({ patterns: some, needsDigit, automaton });
  }
  return sets;
}

const hasDigit = (text: string): boolean => /[0-9]/.test(text);

/** The patterns of a catalog that `parseCatalog` accepted; each is compiled on its first use. */
export function compileInputPatterns(catalog: Catalog): InputPatterns {
  const compiled = new Map<string, CompiledPattern>();
  const compiledOf = (pattern: string): CompiledPattern => {
    const known = compiled.get(pattern) ?? compilePattern(pattern);
    compiled.set(pattern, known);
    return known;
  };
  const declaredBy = new Map<string, number>();
  const workflowCount = catalog.workflows.length;
  for (const workflow of catalog.workflows) {
    const own = new Set(inputsOf(workflow).flatMap((input) => (input.pattern === null ? [] : [input.pattern])));
    for (const pattern of own) declaredBy.set(pattern, (declaredBy.get(pattern) ?? 0) + 1);
  }
  // Only callers of all patterns need the sets.
  let sets: readonly PatternSet[] | null = null;
  return {
    list: [...declaredBy.keys()],
    found(text, timeLeft = unbounded) {
      sets ??= [false, true].flatMap((needsDigit) => compileSets([...declaredBy.keys()].map(compiledOf), needsDigit));
      const read = bounded(text, timeLeft);
      const readable = hasDigit(text) ? sets : sets.filter(({ needsDigit }) => !needsDigit);
      return readable.flatMap(({ patterns, automaton }) =>
        automaton.match(read).flatMap((index) => {
          const pattern = patterns[index];
          if (pattern === undefined) return [];
          return pattern.facts.alwaysHasValue || firstValue(pattern, read) !== null ? [pattern.pattern] : [];
        }),
      );
    },
    find(input, text, timeLeft = unbounded) {
      if (input.pattern === null || !declaredBy.has(input.pattern)) return null;
      const pattern = compiledOf(input.pattern);
      const read = bounded(text, timeLeft);
      return pattern.facts.needsDigit && !hasDigit(text) ? null : firstValue(pattern, read);
    },
    commonness(input) {
      if (input.pattern === null) return 1;
      return (declaredBy.get(input.pattern) ?? 1) / workflowCount;
    },
  };
}

/** The engine takes any string object; its types know primitive strings only. */
function bounded(text: string, timeLeft: TimeLeft): string {
  if (timeLeft.remainingMs() === Number.POSITIVE_INFINITY) return text;
  requireTime(timeLeft);
  return new BoundedText(text, timeLeft) as unknown as string;
}

/** Most patterns match nothing, and `test` is many times faster than a search that records its groups. */
function firstValue({ regex, hasValueGroup }: CompiledPattern, text: string): string | null {
  if (!regex.test(text)) return null;
  const matcher = regex.matcher(text);
  if (!matcher.find()) return null;
  const value = hasValueGroup ? matcher.group("value") : matcher.group();
  return value === null || value === "" ? null : value;
}
