import { parseCatalog } from "../../../../src/router/catalog/load.js";
import { patternProblem } from "../../../../src/router/catalog/rules.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import { assert, test, throws } from "../../../support/test.js";

const refused: readonly (readonly [pattern: string, says: RegExp])[] = [
  ["order(?= [0-9])", /^uses a lookahead \(\?=\.\.\.\), .* write what follows after the value and mark the value with/],
  ["order(?! x)", /^uses a negative lookahead .* write out what may follow/],
  ["(?<=order )[0-9]+", /^uses a lookbehind .* write what precedes before the value and mark the value with/],
  ["(?<!order )[0-9]+", /^uses a negative lookbehind .* write out what may precede/],
  ["(a|b)\\1", /^uses a back reference, .* write the alternatives out/],
  ["(?P<value>a|b)(?P=value)", /^uses a back reference/],
  ["(?<value>a|b)\\k<value>", /^uses a back reference/],
  ["(a|b)\\g{1}", /^uses a back reference/],
  ["(?>a+)b", /^uses an atomic group .* write \(\?:\.\.\.\): this engine never backtracks/],
  ["a++b", /^uses a possessive quantifier, .* leave its \+ out/],
  ["a*+b", /^uses a possessive quantifier/],
  ["a?+b", /^uses a possessive quantifier/],
  ["[0-9]{2,4}+b", /^uses a possessive quantifier/],
];

for (const [pattern, says] of refused) {
  test(`${pattern} is refused in plain words`, () => assert.match(patternProblem(pattern) ?? "", says));
}

const engineReasons: readonly (readonly [pattern: string, reason: RegExp])[] = [
  ["(a", /missing closing \)/],
  ["[z-a]", /invalid character class range/],
  ["a**", /invalid nested repetition operator/],
  ["a{1001}", /invalid repeat count/],
  ["\\p{Foo}", /invalid character class range/],
  ["(?(1)a|b)", /unsupported Perl syntax/],
  ["(?P>value)", /unsupported Perl syntax/],
  ["(?P<value>a)(?P<value>b)", /duplicate capture group name/],
];

for (const [pattern, reason] of engineReasons) {
  test(`${pattern} is refused with the engine's reason`, () => {
    const problem = patternProblem(pattern) ?? "";
    assert.match(problem, /^is refused by the linear-time engine \(/);
    assert.match(problem, reason);
  });
}

const usable: readonly string[] = [
  "(?P<value>[0-9]+)",
  "(?<value>[0-9]+)",
  "\\(?=",
  "[(?=!<]",
  "\\\\1",
  "(?:a+)+$",
  "a+?",
  "\\bx\\b",
];

for (const pattern of usable) test(`${pattern} can be used`, () => assert.is(patternProblem(pattern), null));

test("a pattern of too many instructions is refused with their number", () => {
  assert.match(
    patternProblem("[a-z ]{0,1000}[a-z ]{0,1000}!") ?? "",
    /^is too expensive: \d+ instructions, at most 1000/,
  );
});

const catalogWith = (...patterns: readonly string[]): string =>
  [
    "schema_version: 1",
    "catalog_version: c-1",
    "workflows:",
    "  - workflow_id: orders.status",
    "    version: 1.0.0",
    "    name: Order status",
    "    description: Tells where an order is.",
    "    risk_tier: low",
    "    side_effect: read_only",
    "    required_inputs:",
    ...patterns.flatMap((pattern, index) => [`      - name: input_${index + 1}`, `        pattern: '${pattern}'`]),
  ].join("\n");

test("both spellings of a named group give the value, from a catalog as it is written elsewhere", () => {
  const bytes = Buffer.from(
    catalogWith("\\border\\s+#?(?P<value>[A-Z]{2}-\\d{3,6})\\b", "(?i)order\\s+#?(?<value>[a-z]{2}-\\d{3,6})"),
  );
  const catalog = parseCatalog(bytes, "catalog.yaml");
  const patterns = compileInputPatterns(catalog);
  for (const input of catalog.workflows[0]?.required_inputs ?? []) {
    assert.is(patterns.find(input, "where is Order #ab-1234 now"), "ab-1234", input.name);
  }
});

test("a refusal names the workflow, the input and the construct, one problem for each pattern", () => {
  const bytes = Buffer.from(catalogWith("a(?=b)", "[0-9]+", "(a)\\1"));
  const error = throws(() => parseCatalog(bytes, "catalog.yaml"), "CATALOG_INVALID");
  const problems = error.details?.["problems"] as readonly string[];
  assert.is(problems.length, 2);
  assert.match(problems[0] ?? "", /^line \d+, column \d+: orders\.status: pattern of input "input_1" uses a lookahead/);
  assert.match(
    problems[1] ?? "",
    /^line \d+, column \d+: orders\.status: pattern of input "input_3" uses a back reference/,
  );
});
