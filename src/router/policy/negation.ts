import { RE2JS } from "re2js";
import type { Negation } from "../../documents/negation.js";

/** The part of a text that its sender does not want, without the words that say so; null if there is none. */
export type FindNegated = (text: string) => string | null;

/** Maximum number of instructions of the patterns; reading a text takes at most this number times the characters read. */
const mostInstructions = 4000;
/** Characters and clauses of a text that are read; encoders read fewer characters. */
const mostCharacters = 1000;
const mostClauses = 8;

const anyOf = (patterns: readonly string[]): string => patterns.map((pattern) => `(?:${pattern})`).join("|");
const compile = (pattern: string): RE2JS => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);

/** @param negation  words in which `negationProblems` finds none */
export function compileNegation({ patterns, ends, states }: Negation): FindNegated {
  const before = compile(anyOf(patterns));
  const end = compile(ends);
  const state = compile(`^(?:${states.join("|")})\\b`);
  return (written) => {
    const text = written.slice(0, mostCharacters).replaceAll("\u2019", "'");
    // Far cheaper than a search, and most texts match nothing.
    if (!before.test(text)) return null;
    const found = before.matcher(text);
    for (let clause = 0; clause < mostClauses && found.find(); clause += 1) {
      const captured = Array.from({ length: found.groupCount() }, (_, i) => found.group(i + 1)).find(Boolean);
      const wish = (captured ?? end.split(text.slice(found.end()), 2)[0] ?? "").trim();
      if (wish !== "" && !state.test(wish)) return wish;
    }
    return null;
  };
}

/** Why patterns cannot be used; empty if they can. */
export function negationProblems({ patterns, ends }: Negation): readonly string[] {
  const refused = [...patterns, ends].flatMap((pattern, index) =>
    refusal(pattern, index < patterns.length ? `negation.patterns[${index}]` : "negation.ends"),
  );
  if (refused.length > 0) return refused;
  const size = compile(anyOf(patterns)).programSize();
  if (size <= mostInstructions) return [];
  return [`negation.patterns are too expensive: ${size} instructions, at most ${mostInstructions} are allowed`];
}

/** Why a pattern cannot be used; empty if it can. */
export function refusal(pattern: string, what: string): readonly string[] {
  try {
    compile(pattern);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : "not a pattern";
    return [`${what} is refused by the linear-time engine (${why})`];
  }
}
