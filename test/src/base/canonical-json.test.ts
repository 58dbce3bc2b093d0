import fc from "fast-check";
import { canonicalBytes, canonicalJson } from "../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { assert, test, throws } from "../../support/test.js";

/** Values of RFC 8785 sections 3.2.2 and 3.2.3 and appendix B. */
const rows: readonly (readonly [value: unknown, text: string])[] = [
  [null, "null"],
  [[true, false, null], "[true,false,null]"],
  [{ b: 2, a: 1 }, '{"a":1,"b":2}'],
  [{ 10: "x", 9: "y" }, '{"10":"x","9":"y"}'],
  [{ "": 0, é: 1, z: 2 }, '{"":0,"z":2,"é":1}'],
  [Number("333333333.33333329"), "333333333.3333333"],
  [1e30, "1e+30"],
  [4.5, "4.5"],
  [2e-3, "0.002"],
  [1e-27, "1e-27"],
  [-0, "0"],
  [5e-324, "5e-324"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
  [9007199254740992, "9007199254740992"],
  [295147905179352830000, "295147905179352830000"],
  [1e21, "1e+21"],
  [999999999999999700000, "999999999999999700000"],
  [0.000001, "0.000001"],
  [1e-7, "1e-7"],
  ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
  ["\b\t\f\u007f", '"\\b\\t\\f\u007f"'],
  [{ a: undefined, b: 1 }, '{"b":1}'],
];

for (const [value, text] of rows) test(`canonical text ${text}`, () => assert.is(canonicalJson(value), text));

test("keys are sorted by UTF-16 code units", () => {
  const keys = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
  const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
  assert.equal(Object.keys(JSON.parse(text) as object), [
    "1",
    "\r",
    "\u0080",
    "\u00f6",
    "\u20ac",
    "\u{1f600}",
    "\ufb33",
  ]);
});

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const refused: readonly (readonly [name: string, value: unknown])[] = [
  ["NaN", Number.NaN],
  ["Infinity", { a: [Number.POSITIVE_INFINITY] }],
  ["undefined", undefined],
  ["a function", () => 1],
  ["a function inside", { a: () => 1 }],
  ["a symbol inside", [Symbol("x")]],
  ["undefined in a list", [undefined]],
  ["a large integer type", { a: 1n }],
  ["a lone surrogate", "\ud800"],
  ["a lone surrogate in a key", { "\udc00": 1 }],
  ["a cycle", cycle],
];

for (const [name, value] of refused) {
  test(`${name} has no canonical form`, () => {
    throws(() => canonicalJson(value), "NOT_CANONICAL");
  });
}

test("the text is a fixed point, whatever the order of the keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.is(canonicalJson(JSON.parse(text)), text);
      assert.is(canonicalJson(JSON.parse(JSON.stringify(value, backwards))), text);
    }),
  );
});

function backwards(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}

test("bytes are the UTF-8 form, and their digest is of these bytes", () => {
  assert.equal([...canonicalBytes("é")], [0x22, 0xc3, 0xa9, 0x22]);
  assert.is(sha256Hex(canonicalBytes({ a: "é" })), sha256Hex('{"a":"é"}'));
});

test("SHA-256 of known messages", () => {
  assert.is(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.is(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.is(sha256Hex(Uint8Array.of(0x61, 0x62, 0x63)), sha256Hex("abc"));
});
