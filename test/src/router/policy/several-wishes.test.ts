import { englishSeveralWishes } from "../../../../src/documents/several-wishes.js";
import {
  type BestWorkflows,
  compileBoundary,
  severalScore,
  severalWishesProblems,
} from "../../../../src/router/policy/several-wishes.js";
import { assert, test } from "../../../support/test.js";

const find = compileBoundary(englishSeveralWishes);

const places: readonly (readonly [text: string, left: string, right: string, kind: string, announced: boolean])[] = [
  ["cancel my flight and book a hotel", "cancel my flight", "book a hotel", "word", false],
  ["Cancel my flight. Also, book a hotel!", "Cancel my flight", "book a hotel!", "sentence", true],
  ["cancel my flight, book a hotel", "cancel my flight", "book a hotel", "comma", false],
  ["I moved, and my flight is late, then book a hotel", "I moved, and my flight is late", "book a hotel", "word", true],
];
for (const [text, left, right, kind, announced] of places) {
  test(`"${text}" is read as "${left}" and "${right}"`, () => {
    const found = find(text);
    assert.equal([found?.left, found?.right, found?.kind, found?.announced], [left, right, kind, announced]);
  });
}

for (const text of ["cancel my flight", "yes, cancel it", "salt and pepper", ""]) {
  test(`"${text}" has no two sides of two words`, () => {
    assert.is(find(text), null);
  });
}

const best = (...ids: readonly string[]): BestWorkflows => ({ ids, scores: ids.map((_, place) => 0.9 / (1 + place)) });

test("two sides that lead to different workflows score higher the clearer each is, and one workflow scores nothing", () => {
  const text = "cancel my flight and book a hotel";
  const boundary = find(text);
  if (boundary === null) throw new TypeError("a boundary is expected");
  const whole = best("flights.cancel", "hotels.book");
  const scoreOf = (left: BestWorkflows, right: BestWorkflows) =>
    severalScore({ text, boundary, left, right, whole }, englishSeveralWishes);
  const clear = scoreOf(best("flights.cancel", "flights.book"), best("hotels.book", "flights.book"));
  const faint = { ids: ["hotels.book", "flights.book"], scores: [0.11, 0.1] };
  const unclear = scoreOf(best("flights.cancel", "flights.book"), faint);
  assert.ok((clear ?? 0) > (unclear ?? 0), `${clear} ${unclear}`);
  assert.is(scoreOf(best("flights.cancel"), best("flights.cancel")), null);
  assert.is(scoreOf(best("flights.cancel"), best()), null);
});

test("texts as long as the service accepts are read in a moment", () => {
  for (const part of ["and ", "a b. ", ", ", "word "]) {
    const started = performance.now();
    find(part.repeat(8000 / part.length));
    assert.ok(performance.now() - started < 2000, part);
  }
});

test("patterns that are none are refused by name", () => {
  assert.equal(severalWishesProblems(englishSeveralWishes), []);
  assert.match(severalWishesProblems({ ...englishSeveralWishes, openers: "(?=a)" }).join(), "several_wishes.openers");
});
