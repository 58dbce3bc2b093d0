import { preAuthEncoding } from "../../../src/trust/verify/open-envelope.js";
import { assert, test } from "../../support/test.js";

const encode = (type: string, body: string) => preAuthEncoding(type, Buffer.from(body)).toString("utf8");

test("the vector of the DSSE protocol", () => {
  const expected = "DSSEv1 29 http://example.com/HelloWorld 11 hello world";
  assert.is(encode("http://example.com/HelloWorld", "hello world"), expected);
});

test("lengths are byte counts, so types that differ in encoding only stay apart", () => {
  assert.is(encode("\u0174ext/plain", "x"), "DSSEv1 11 \u0174ext/plain 1 x");
  assert.is.not(encode("\u0174ext/plain", "x"), encode("text/plain", "x"));
});

test("a type that imitates a length gives other bytes", () => {
  assert.is.not(encode("a 1 b", "c"), encode("a", "b 1 c"));
});
