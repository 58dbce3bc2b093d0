import fc from "fast-check";
import type { TextGuard } from "../../../../../src/documents/guard.js";
import { compileGuards } from "../../../../../src/router/policy/guards/compile-guards.js";
import { multiActionEn1 } from "../../../../../stages/evaluate/guards/multi-action-en-1.js";
import { openEndedEn1 } from "../../../../../stages/evaluate/guards/open-ended-en-1.js";
import { assert, test } from "../../../../support/test.js";

const openEnded = openEndedEn1;
const multiAction = multiActionEn1;

function stops(guard: TextGuard, text: string): boolean {
  return compileGuards([guard]).some((compiled) => compiled.stops(text));
}

test("each guard carries its id and the reason of its kind, in the order of the policy", () => {
  const compiled = compileGuards([multiAction, openEnded]);
  assert.equal(
    compiled.map(({ guardId, reasonCode }) => [guardId, reasonCode]),
    [
      ["multi-action-en-1", "MULTI_ACTION_UNSUPPORTED"],
      ["open-ended-en-1", "OPEN_ENDED_REASONING"],
    ],
  );
});

for (const text of [
  "Explain why revenue fell last quarter",
  "please explain to me how the discount came about",
  "recommend a supplier for us",
  "ADVISE ME on the contract",
  "brainstorm names for the team",
  "analyse last month, and analyze this one",
  "what are the pros and cons of leasing",
  "which of these two plans is the best",
  "make a marketing plan",
]) {
  test(`open-ended: "${text}"`, () => assert.is(stops(openEnded, text), true));
}

for (const text of [
  "why was my card declined",
  "where is my order",
  "which card did I use",
  "my boss recommended that I reset my password",
  "change my plan",
]) {
  test(`not open-ended: "${text}"`, () => assert.is(stops(openEnded, text), false));
}

for (const text of [
  "cancel my order and refund the money",
  "Book a room, then send the invitation",
  "update my address AND cancel the parcel",
  "cancel, cancel and then delete it",
]) {
  test(`two actions: "${text}"`, () => assert.is(stops(multiAction, text), true));
}

for (const text of [
  "cancel order 1 and cancel order 2",
  "cancel the order, refund the money",
  "cancel my order and thank you",
  "send salt and pepper",
  "and then",
  "the cancellation and the refunding",
  "",
]) {
  test(`not two actions: "${text}"`, () => assert.is(stops(multiAction, text), false));
}

test("words of other languages are cut at letters, with their accents", () => {
  const german: TextGuard = {
    kind: "multi_action",
    guard_id: "multi-action-de-1",
    language: "de",
    conjunctions: ["und"],
    verbs: ["lösche", "prüfe"],
  };
  assert.is(stops(german, "Prüfe das Konto und LÖSCHE es"), true);
  assert.is(stops(german, "prüfe das konto undlösche es"), false);
});

test("a guard answers the same every time, whatever it read before", () => {
  const words = [...multiActionEn1.verbs, ...multiActionEn1.conjunctions, "explain", "why", "recommend", "order"];
  const texts = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((list) => list.join(" "));
  const compiled = compileGuards([openEnded, multiAction]);
  fc.assert(
    fc.property(texts, texts, (first, second) => {
      const before = compiled.map((guard) => guard.stops(first));
      for (const guard of compiled) guard.stops(second);
      assert.equal(
        compiled.map((guard) => guard.stops(first)),
        before,
      );
    }),
  );
});

test("two actions need a verb, a later conjunction and a later, different verb", () => {
  const { verbs, conjunctions } = multiAction;
  const word = fc.constantFrom(...verbs.slice(0, 3), ...conjunctions, "order");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 7 }), (list) => {
      const expected = list.some(
        (first, i) =>
          verbs.includes(first) &&
          list.some(
            (link, j) =>
              j > i &&
              conjunctions.includes(link) &&
              list.some((second, k) => k > j && verbs.includes(second) && second !== first),
          ),
      );
      assert.is(stops(multiAction, list.join(" ")), expected);
    }),
    { numRuns: 500 },
  );
});

test("the longest text of hostile repetitions is read in under a second", () => {
  const compiled = compileGuards([openEnded, multiAction]);
  for (const part of ["which ", "explain to me ", "cancel and ", "write me a a a "]) {
    const text = part.repeat(Math.floor(8000 / part.length));
    const begun = performance.now();
    for (const guard of compiled) guard.stops(text);
    assert.ok(performance.now() - begun < 1000);
  }
});
