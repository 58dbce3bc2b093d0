import fc from "fast-check";
import { parseJsonBody } from "../../../serve/plugins/json-body.js";
import { assert, test, throws } from "../../support/test.js";

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));

test("every JSON text gives the value that it stands for", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(parse(text), JSON.parse(text));
      assert.equal(parse(JSON.stringify(JSON.parse(text), null, 2)), JSON.parse(text));
    }),
    { seed: 14, numRuns: 500 },
  );
});

test("colons, quotes and backslashes inside of texts are no fields", () => {
  for (const value of [{ "a:b": ':"{}' }, { '\\"': "\\", ":": { ":": [":"] } }, ["::", '"', "\\:"], ":"]) {
    assert.equal(parse(JSON.stringify(value)), value);
  }
});

test("a repeated field is refused at every place and in every spelling, the prototype's name included", () => {
  const repeated = [
    '{"a":1,"a":1}',
    '[{"b":{"a":1,"a":2}}]',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
    '{"1":1,"a":2,"1":3}',
  ];
  for (const text of repeated) throws(() => parse(text), "REQUEST_INVALID");
});

test("bytes that are not UTF-8 are refused, and the next body is read", () => {
  for (const bytes of [[0xff], [0x22, 0xe2, 0x82, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
    throws(() => parseJsonBody(Uint8Array.from(bytes)), "REQUEST_INVALID");
    assert.is(parse('"ü😀"'), "ü😀");
  }
});
