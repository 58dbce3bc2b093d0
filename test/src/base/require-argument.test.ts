import { hasMethods, typeInWords, requireArgument } from "../../../src/base/require-argument.js";
import { assert, test, throws } from "../../support/test.js";

test("a message names the kind of a value, never the value", () => {
  const values = [undefined, null, [], {}, Promise.resolve(), "secret", 3, () => 1];
  assert.equal(values.map(typeInWords), [
    "undefined",
    "null",
    "an array",
    "an object",
    "a promise",
    "a string",
    "a number",
    "a function",
  ]);
});

test("a wrong argument says what was found, what was expected and what to do", () => {
  const error = throws(() => requireArgument(false, "f: options.a", "a function", "x"), "ARGUMENT_INVALID");
  assert.is(error.message, "f: options.a is a string, expected a function");
  assert.is(error.hint, "Pass a function.");
  const early = throws(() => requireArgument(false, "f: router", "a router", Promise.resolve()), "ARGUMENT_INVALID");
  assert.is(early.hint, "Await the promise first.");
});

test("methods are found on an object and on its class", () => {
  assert.is(hasMethods({ route: () => 1 }, ["route"]), true);
  assert.is(hasMethods(new Map(), ["get", "set"]), true);
  assert.is(hasMethods("text", ["trim"]), false);
  assert.is(hasMethods({ route: 1 }, ["route"]), false);
});
