import type { RE2JS } from "re2js";

/** What every match of a pattern has, told from its compiled program. */
export interface PatternFacts {
  /** A digit 0 to 9 is in every text that matches. */
  readonly needsDigit: boolean;
  /** Every match has a value that is not empty, so that a match need not be looked at. */
  readonly alwaysHasValue: boolean;
}

/** An instruction of a compiled program, as far as it is read here; the types of re2js leave it open. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** Second way out of a fork; number of a border of a group: 2 g opens group g, 2 g + 1 closes it. */
  readonly arg: number;
  /** One character, or pairs of first and last. */
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

/** How far a path is with the value: before it, inside without and with a character, and behind it. */
type Progress = "before" | "empty" | "filled" | "done";

export function factsOf(regex: RE2JS): PatternFacts {
  const program = regex.re2().prog as Program;
  const group = regex.namedGroups()["value"];
  return { needsDigit: needsDigit(program), alwaysHasValue: alwaysHasValue(program, group ?? null) };
}

/** No way to a match leaves out all digits. */
function needsDigit(program: Program): boolean {
  let matches = false;
  walk(program, null, (instruction) => {
    matches ||= instruction.op === operations.match;
    return isCharacter(instruction) && isDigits(instruction.runes) ? undefined : null;
  });
  return !matches;
}

/** @param group  number of the group of the value; null for the whole match */
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
 * Visits every instruction that a search can reach, once in each state.
 * @param next  the state behind an instruction; undefined to go no further
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
