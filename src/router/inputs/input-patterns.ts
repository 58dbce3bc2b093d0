import { RE2JS, RE2Set } from "re2js";
import type { Catalog, ResolvableInput, Workflow } from "../../documents/catalog.js";
import { unbounded } from "../../documents/run-scope.js";
import { BoundedText, requireTime, type TimeLeft } from "./bounded-text.js";

/** Compiled patterns of a catalog, one per distinct pattern; matching takes linear time (RE2). */
export interface InputPatterns {
  /**
   * Value of the input in the text; null if the pattern does not match or the input has no pattern.
   * @param timeLeft  aborts a running search; unbounded by default
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  find(input: ResolvableInput, text: string, timeLeft?: TimeLeft): string | null;
  /**
   * Every pattern of the catalog that finds a value in the text. Searches for many patterns in one pass, which is much
   * cheaper than one search per pattern.
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  found(text: string, timeLeft?: TimeLeft): readonly string[];
  /** The distinct patterns of the catalog, in an order determined by the patterns alone. */
  readonly list: readonly string[];
  /** Share of the catalog's workflows that declare the same pattern, in (0, 1]; 1 for an input without a pattern. */
  commonness(input: ResolvableInput): number;
}

interface CompiledPattern {
  readonly pattern: string;
  readonly regex: RE2JS;
  readonly hasValueGroup: boolean;
  readonly facts: PatternFacts;
}

/**
 * Number of patterns per automaton. Its number of states, and the time to build them all, multiplies with every
 * pattern.
 */
const patternsPerSet = 8;

interface PatternSet {
  readonly patterns: readonly CompiledPattern[];
  /** Whether all of them need a digit. */
  readonly needsDigit: boolean;
  readonly automaton: RE2Set;
}

const inputsOf = (workflow: Workflow): readonly ResolvableInput[] => [
  ...workflow.required_inputs,
  ...workflow.optional_inputs,
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

/** Patterns of a catalog that `parseCatalog` accepted; each is compiled on first use. */
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
  // Built on first use: only callers of `found` need the sets.
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

/** The engine accepts any string object, but its types allow only primitive strings. */
function bounded(text: string, timeLeft: TimeLeft): string {
  if (timeLeft.remainingMs() === Number.POSITIVE_INFINITY) return text;
  requireTime(timeLeft);
  return new BoundedText(text, timeLeft) as unknown as string;
}

/** Most patterns do not match, and `test` is many times faster than a search that records groups. */
function firstValue({ regex, hasValueGroup }: CompiledPattern, text: string): string | null {
  if (!regex.test(text)) return null;
  const matcher = regex.matcher(text);
  if (!matcher.find()) return null;
  const value = hasValueGroup ? matcher.group("value") : matcher.group();
  return value === null || value === "" ? null : value;
}

/** Properties of every match of a pattern, derived from its compiled program. */
export interface PatternFacts {
  /** Whether every matching text contains a digit from 0 to 9. */
  readonly needsDigit: boolean;
  /** Whether every match has a non-empty value, so that matches need no inspection. */
  readonly alwaysHasValue: boolean;
}

/** The parts of a compiled instruction that are used here; the types of re2js do not declare them. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** Second branch of a fork, or number of a group boundary: 2 g opens group g, 2 g + 1 closes it. */
  readonly arg: number;
  /** A single character, or pairs of first and last character. */
  readonly runes: Int32Array;
}
interface Program {
  readonly start: number;
  numInst(): number;
  getInst(at: number): Instruction;
}

const operations = {
  fork: 1,
  forkMatch: 2,
  capture: 3,
  assertion: 4,
  match: 6,
  nothing: 7,
  characters: 8,
  anyLine: 11,
};

/** Position of a path relative to the value: before it, inside it without or with a character, or after it. */
type Progress = "before" | "empty" | "filled" | "done";

export function factsOf(regex: RE2JS): PatternFacts {
  const program = regex.re2().prog as Program;
  const group = regex.namedGroups()["value"];
  return { needsDigit: needsDigit(program), alwaysHasValue: alwaysHasValue(program, group ?? null) };
}

/** Whether every path to a match contains a digit. */
function needsDigit(program: Program): boolean {
  let matches = false;
  walk(program, null, (instruction) => {
    matches ||= instruction.op === operations.match;
    return isCharacter(instruction) && isDigits(instruction.runes) ? undefined : null;
  });
  return !matches;
}

/** @param group number of the group with the value; null for the whole match */
function alwaysHasValue(program: Program, group: number | null): boolean {
  let always = true;
  walk<Progress>(program, group === null ? "empty" : "before", ({ op, arg, ...rest }, progress) => {
    if (op === operations.match && progress !== (group === null ? "filled" : "done")) always = false;
    if (isCharacter({ op, arg, ...rest })) return progress === "empty" ? "filled" : progress;
    if (op !== operations.capture || group === null) return progress;
    if (arg === 2 * group) return "empty";
    return arg === 2 * group + 1 ? (progress === "filled" ? "done" : "before") : progress;
  });
  return always;
}

/**
 * Visits every reachable instruction once per state.
 * @param next  state after an instruction; undefined to stop on this path
 */
function walk<State>(
  program: Program,
  first: State,
  next: (instruction: Instruction, state: State) => State | undefined,
): void {
  const seen = new Set<string>();
  const open: (readonly [at: number, state: State])[] = [[program.start, first]];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const [at, state] = item;
    const key = `${at} ${String(state)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const instruction = program.getInst(at);
    const behind = next(instruction, state);
    if (behind === undefined) continue;
    for (const way of waysOut(instruction)) open.push([way, behind]);
  }
}

function waysOut(instruction: Instruction): readonly number[] {
  const { op, out, arg } = instruction;
  if (op === operations.fork || op === operations.forkMatch) return [out, arg];
  const passes = op === operations.capture || op === operations.assertion || op === operations.nothing;
  return passes || isCharacter(instruction) ? [out] : [];
}

const isCharacter = ({ op }: Instruction): boolean => op >= operations.characters && op <= operations.anyLine;

const isDigits = (runes: Int32Array): boolean => runes.length > 0 && runes.every((rune) => rune >= 48 && rune <= 57);
