import { personalDataIn } from "../../datasets/audit/row-checks.js";
import { assert, test } from "../support/test.js";

const cases: readonly (readonly [text: string, kinds: readonly string[]])[] = [
  ["write to jo.doe+x@example.co.uk today", ["email"]],
  ["my iban is GB82 WEST 1234 5698 7654 32", ["iban"]],
  ["iban GB82WEST12345698765433 has a wrong check digit", []],
  ["card 4111 1111 1111 1111 was charged", ["card"]],
  ["card 4111-1111-1111-1112 fails the check digit", []],
  ["call +44 20 7946 0958", ["phone"]],
  ["call (030) 1234567", ["phone"]],
  ["order 12345678 is late", []],
  ["on 2024-11-05 at 10:30", []],
  ["I paid 1,250.00 for 3 items", []],
  ["where is my order", []],
];

for (const [text, kinds] of cases) {
  test(`finds ${kinds.length === 0 ? "nothing" : kinds.join(", ")} in "${text}"`, () => {
    assert.equal([...personalDataIn(text)].sort(), kinds);
  });
}
