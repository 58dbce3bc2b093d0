import {
  argument,
  flag,
  optional,
  preset,
  readOptions,
  repeated,
  required,
  resolveOptions,
} from "../../src/base/options.js";
import { commands } from "../../cli/commands.js";
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

test("the library fills the same defaults, and takes what a command line read", () => {
  const defaults = resolveOptions("f", set, { name: "a" });
  assert.equal(defaults, { name: "a", topK: 8, note: undefined, tag: [], strict: false });
  const given = { name: "a", topK: 0, note: "n", tag: ["x"], strict: true };
  assert.equal(resolveOptions("f", set, given), given);
});

test("the library refuses names and values that no option has", () => {
  const refused = (options: unknown) => throws(() => resolveOptions("f", set, options as never), "ARGUMENT_INVALID");
  assert.is(refused({ name: "a", topk: 3 }).message, 'f: there is no option "topk"');
  assert.is(refused({ name: "a", topk: 3 }).hint, 'Did you mean "topK"?');
  assert.is(refused({ name: "a", topK: "3" }).message, 'f: option "topK" is of kind string, expected number');
  assert.is(refused({ name: "a", note: null }).message, 'f: option "note" is of kind null, expected string');
  assert.is(refused({ name: "a", toString: 3 }).message, 'f: there is no option "toString"');
  assert.is(refused({}).message, 'f: option "name" is missing');
  assert.is(refused(undefined).message, "f: the options are of kind undefined, expected an object");
});

test("an argument of the library has no default and the type that it names", () => {
  const set = { confirm: argument<() => void>("function"), signer: argument<object>("object|function") };
  const confirm = (): void => undefined;
  assert.equal(resolveOptions("f", set, { confirm }), { confirm, signer: undefined });
  throws(() => resolveOptions("f", set, { signer: "ann" as never }), "ARGUMENT_INVALID");
});

test("the default of every flag is of the type that the library takes", () => {
  let checked = 0;
  for (const { name, options, positionals } of commands) {
    for (const [option, { preset: text, read, type }] of Object.entries({ ...options, ...positionals })) {
      if (text === null) continue;
      const value = read([], option);
      const found = Array.isArray(value) ? "list" : typeof value;
      assert.ok(type.split("|").includes(found), `${name.join(" ")} ${option}: ${found}, expected ${type}`);
      checked += 1;
    }
  }
  assert.ok(checked > 40, `${checked}`);
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
