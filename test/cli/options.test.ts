import { flag, optional, preset, readOptions, repeated, required } from "../../src/base/options.js";
import { environmentTwin, shortFlags } from "../../cli/options.js";
import { count, text } from "../../stages/options/kinds.js";
import { assert, test, throws } from "../support/test.js";

const set = {
  name: required(text, "a name"),
  topK: preset(count, "8", "candidates"),
  note: optional(text, "a note"),
  tag: repeated(text, "tags"),
  strict: flag("strictly"),
};

const read = (given: Readonly<Record<string, readonly string[]>>) =>
  readOptions(
    set,
    (name) => given[name] ?? [],
    (name) => `--${name}`,
  );

test("missing values take their default, and names become camelCase", () => {
  assert.equal(read({ name: ["a"] }), { name: "a", topK: 8, note: undefined, tag: [], strict: false });
});

test("given values are read by their kind", () => {
  const given = { name: ["a"], "top-k": ["0"], note: ["n"], tag: ["x", "y"], strict: ["true"] };
  assert.equal(read(given), { name: "a", topK: 0, note: "n", tag: ["x", "y"], strict: true });
});

test("a required value must be there", () => {
  assert.is(throws(() => read({}), "USAGE").message, "--name is missing");
});

test("a value given twice is refused unless it may be repeated", () => {
  assert.is(throws(() => read({ name: ["a", "b"] }), "USAGE").message, "--name was given 2 times, expected once");
});

test("a switch reads 1, 0, true and false only", () => {
  assert.is(read({ name: ["a"], strict: ["1"] }).strict, true);
  assert.is(read({ name: ["a"], strict: ["0"] }).strict, false);
  throws(() => read({ name: ["a"], strict: ["yes"] }), "USAGE");
});

test("the environment twin of a flag is its name in capitals", () => {
  assert.is(environmentTwin("passphrase-fd"), "SLUICE_PASSPHRASE_FD");
});

test("no short flag stands for two options", () => {
  const letters = Object.values(shortFlags);
  assert.is(new Set(letters).size, letters.length);
});
