import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readStrictJson } from "../../../src/trust/strict-json.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { throws } from "../../support/rejects.js";

const test = suite("src/trust/strict-json");

const read = (text: string) => readStrictJson(Buffer.from(text, "utf8"), "document");

test("canonical documents are read", () => {
  assert.equal(read('{"a":[1,0.5,"é",null,true],"b":{}}'), { a: [1, 0.5, "é", null, true], b: {} });
  assert.equal(read(`${"[".repeat(32)}${"]".repeat(32)}`) !== undefined, true);
  assert.equal(read('["[[[[ \\" {{{{"]'), ['[[[[ " {{{{']);
});

const refused: readonly (readonly [string, string | Uint8Array, ErrorCode])[] = [
  ["duplicate keys", '{"a":1,"a":1}', "NOT_CANONICAL"],
  ["duplicate keys, one escaped", '{"a":1,"\\u0061":1}', "NOT_CANONICAL"],
  ["white space", '{"a": 1}', "NOT_CANONICAL"],
  ["another key order", '{"b":1,"a":1}', "NOT_CANONICAL"],
  ["an exponent", "[1e2]", "NOT_CANONICAL"],
  ["a number beyond the range", "[1e400]", "NOT_CANONICAL"],
  ["an integer above 2^53", "[9007199254740993]", "NOT_CANONICAL"],
  ["minus zero", "[-0]", "NOT_CANONICAL"],
  ["a trailing zero", "[1.0]", "NOT_CANONICAL"],
  ["an escaped slash", '["\\/"]', "NOT_CANONICAL"],
  ["an unneeded escape", '["\\u0041"]', "NOT_CANONICAL"],
  ["a lone surrogate", '["\\ud800"]', "NOT_CANONICAL"],
  ["a trailing newline", "{}\n", "NOT_CANONICAL"],
  ["trailing data", "{}{}", "NOT_CANONICAL"],
  ["a byte order mark", "\ufeff{}", "NOT_CANONICAL"],
  ["nothing", "", "NOT_CANONICAL"],
  ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), "NOT_CANONICAL"],
  ["an overlong form", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "NOT_CANONICAL"],
  ["a value that is not NFC", '["e\u0301"]', "NOT_CANONICAL"],
  ["a key that is not NFC", '{"e\u0301":1}', "NOT_CANONICAL"],
  ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, "NOT_CANONICAL"],
  ["5,000 levels", "[".repeat(5000), "NOT_CANONICAL"],
  ["5,000 levels of objects", '{"a":'.repeat(5000), "NOT_CANONICAL"],
  ["5 million levels", "[".repeat(5_000_000), "TOO_LARGE"],
  ["2 MiB", `"${"x".repeat(2 * 1024 * 1024)}"`, "TOO_LARGE"],
];
for (const [name, text, code] of refused) {
  test(`${name} is refused with ${code}`, () => {
    const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
    const { message } = throws(() => readStrictJson(bytes, "document"), code);
    assert.match(message, /^document: /);
  });
}

test("__proto__ is read as a plain key and changes no prototype", () => {
  const value = read('{"__proto__":{"polluted":1}}') as object;
  assert.equal(Object.keys(value), ["__proto__"]);
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

test("the size limit is inclusive", () => {
  assert.is(readStrictJson(Buffer.from('"xx"'), "document", 4), "xx");
  throws(() => readStrictJson(Buffer.from('"xx"'), "document", 3), "TOO_LARGE");
});

test.run();
