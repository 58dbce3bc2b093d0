import fc from "fast-check";
import { RE2JS } from "re2js";
import { factsOf, type PatternFacts } from "../../../../src/router/inputs/input-patterns.js";
import { assert, test } from "../../../support/test.js";

const compiled = (pattern: string): RE2JS => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);

const rows: readonly (readonly [pattern: string, needsDigit: boolean, alwaysHasValue: boolean])[] = [
  ["\\b(?P<value>inv-?\\d{4,6})\\b", true, true],
  ["(?P<value>today|\\d+ days)", false, true],
  ["order (?P<value>[0-9]*)", false, false],
  ["order [5-7] (?P<value>[0-9]*)", true, false],
  ["a|(?P<value>b)", false, false],
  ["(?P<value>a?)(?:b|7)", false, false],
  ["(?:(?P<value>a)|b)+", false, false],
  ["[0-9]*", false, false],
  ["x|[0-9]+", false, true],
  [".", false, true],
  ["[\\d.]", false, true],
  ["\\pN", false, true],
  ["^(?P<value>)$", false, false],
  ["(?P<value>k)", false, true],
];

for (const [pattern, needsDigit, alwaysHasValue] of rows) {
  test(`facts of ${pattern}`, () => assert.equal(factsOf(compiled(pattern)), { needsDigit, alwaysHasValue }));
}

test("no match contradicts a fact, for patterns and texts of any kind", () => {
  const piece = fc.constantFrom("a", "\\d", "[0-9a]", ".", "a?", "\\d*", "(?:a|\\d)", "(?:7|8)+", "\\b", "");
  const patterns = fc
    .tuple(fc.array(piece, { maxLength: 3 }), fc.array(piece, { maxLength: 3 }), fc.array(piece, { maxLength: 2 }))
    .map(([before, value, after]) => `${before.join("")}(?P<value>${value.join("")})${after.join("")}`);
  const texts = fc.array(fc.constantFrom("a", "7", "8", " ", "x"), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(patterns, fc.boolean(), texts, (grouped, whole, text) => {
      const regex = compiled(whole ? grouped.replace("?P<value>", "?:") : grouped);
      const facts: PatternFacts = factsOf(regex);
      const matcher = regex.matcher(text);
      if (!matcher.find()) return;
      if (facts.needsDigit) assert.match(text, /\d/);
      if (facts.alwaysHasValue) assert.ok((whole ? matcher.group() : matcher.group("value")) !== "");
    }),
    { numRuns: 2000 },
  );
});
