import { errorCodes } from "../../../src/base/error-codes.js";
import { SluiceError, toSluiceError } from "../../../src/base/error.js";
import { fromPlainError, toPlainError } from "../../../src/base/transport.js";
import { assert, test } from "../../support/test.js";

test("an error carries its code, its table entry, hint, details and cause", () => {
  const cause = new Error("below");
  const error = new SluiceError("CATALOG_INVALID", "found x", { hint: "do y", details: { count: 1 }, cause });
  assert.is(error.entry, errorCodes.CATALOG_INVALID);
  assert.equal(
    [error.name, error.message, error.hint, error.details],
    ["SluiceError", "found x", "do y", { count: 1 }],
  );
  assert.is(error.cause, cause);
  assert.ok(error instanceof Error);
});

test("options that are left out stay undefined, the cause too", () => {
  const error = new SluiceError("USAGE", "found x");
  assert.equal([error.hint, error.details, "cause" in error], [undefined, undefined, false]);
});

test("any thrown value becomes an error of the table", () => {
  const own = new SluiceError("USAGE", "found x");
  assert.is(toSluiceError(own), own);
  const foreign = new TypeError("x is not a function");
  assert.equal([toSluiceError(foreign).code, toSluiceError(foreign).message], ["INTERNAL", "x is not a function"]);
  assert.is(toSluiceError(foreign).cause, foreign);
  assert.is(toSluiceError("text that could be a request").message, "a value that is not an error was thrown");
  assert.is(toSluiceError(undefined).code, "INTERNAL");
});

test("code, message and hint survive a structured clone", () => {
  const error = new SluiceError("MODEL_INVALID", "found x", { hint: "do y" });
  const arrived = fromPlainError(structuredClone(toPlainError(error)));
  assert.equal([arrived.code, arrived.message, arrived.hint], ["MODEL_INVALID", "found x", "do y"]);
  assert.is(fromPlainError(toPlainError(new SluiceError("USAGE", "z"))).hint, undefined);
});

test("an unknown code that arrives is an internal error", () => {
  assert.is(fromPlainError({ code: "NO_SUCH_CODE", message: "x", hint: null, details: null }).code, "INTERNAL");
  assert.is(fromPlainError({ code: "toString", message: "x", hint: null, details: null }).code, "INTERNAL");
});

test("exit codes and statuses are those of their table, and every code says what it means", () => {
  for (const [code, entry] of Object.entries(errorCodes)) {
    assert.ok([1, 2, 3, 4, 5, 130].includes(entry.exitCode), code);
    assert.ok(entry.httpStatus >= 400 && entry.httpStatus < 600, code);
    assert.match(entry.meaning, /^[A-Z].+\.$/, code);
    assert.match(code, /^[A-Z][A-Z0-9_]+$/);
  }
});
