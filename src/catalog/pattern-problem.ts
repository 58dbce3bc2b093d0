import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";

/** Instructions of a compiled pattern; a search costs at most this times the length of the text. */
const maxPatternInstructions = 1000;

/** A construct of backtracking engines, how the linear-time engine reports it, and what to write instead. */
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
 * Why an input's pattern is refused, in words that follow "the pattern ..."; null for a pattern that can be used.
 * Patterns are RE2 syntax, matched case-insensitively; a named group is `(?P<value>...)` or `(?<value>...)`.
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

/** The part of the pattern that the engine reports; it cuts a Python back reference short, as it does `(?P>`. */
function reportedPart(error: RE2JSException, pattern: string): string {
  const part = error instanceof RE2JSSyntaxException ? (error.getPattern() ?? "") : "";
  return part === "(?P" && pattern.includes("(?P=") ? "(?P=" : part;
}
