import { englishNegation } from "../../../../src/documents/negation.js";
import { compileNegation, negationProblems } from "../../../../src/router/policy/negation.js";
import { assert, test } from "../../../support/test.js";

const find = compileNegation(englishNegation);

const found: readonly (readonly [text: string, wish: string])[] = [
  ["don't cancel my booking", "cancel my booking"],
  ["Please DON’T cancel my booking, I still want it", "cancel my booking"],
  ["I changed my mind, never cancel my booking", "cancel my booking"],
  ["book the flight but do not book the hotel yet", "book the hotel"],
  ["I did not ask you to cancel my booking", "cancel my booking"],
  ["we're not ready to book the room", "book the room"],
  ["I'd rather you didn't cancel my booking", "cancel my booking"],
  ["you needn't cancel my booking", "cancel my booking"],
  ["leave my booking as it is", "my booking"],
  ["no cancellation, please", "cancellation"],
  ["I don't know why, but don't cancel my booking", "cancel my booking"],
];
for (const [text, wish] of found) {
  test(`"${text}" negates "${wish}"`, () => {
    assert.is(find(text), wish);
  });
}

const wishes = [
  "cancel my booking",
  "my card doesn't work",
  "I don't know how to cancel my booking",
  "I never received the parcel",
  "why don't you accept my card",
  "I don't want to wait any longer, cancel the order",
  "stop the payment",
  "leave a review",
  "",
];
for (const text of wishes) {
  test(`"${text}" negates nothing`, () => {
    assert.is(find(text), null);
  });
}

test("texts as long as the service accepts are read in a moment", () => {
  for (const part of ["don't ", "leave x ", "please don't know ", "a"]) {
    const started = performance.now();
    find(part.repeat(8000 / part.length));
    assert.ok(performance.now() - started < 2000, part);
  }
});

test("a pattern that needs more than linear time, is none, or costs too much is refused by its place", () => {
  assert.equal(negationProblems(englishNegation), []);
  const problems = (...patterns: string[]) => negationProblems({ ...englishNegation, patterns }).join("; ");
  assert.match(problems("fine", "(?=look)"), "negation.patterns[1] is refused");
  assert.match(problems("("), "negation.patterns[0] is refused");
  assert.match(problems(...Array.from({ length: 20 }, () => "(?:[a-z]{1,30} ){1,30}")), "too expensive");
  assert.match(negationProblems({ ...englishNegation, ends: "[" }).join(), "negation.ends is refused");
});
