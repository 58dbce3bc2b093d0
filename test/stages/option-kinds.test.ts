import type { ValueKind } from "../../src/base/options.js";
import {
  choice,
  count,
  duration,
  id,
  list,
  name,
  path,
  port,
  probability,
  reference,
  seed,
  text,
} from "../../stages/options/kinds.js";
import { principal } from "../../stages/options/trust.js";
import { assert, test, throws } from "../support/test.js";

interface Case {
  readonly kind: ValueKind<unknown>;
  readonly accepted: readonly (readonly [raw: string, value: unknown])[];
  readonly refused: readonly string[];
}

const hex = "ab".repeat(32);

const cases: Readonly<Record<string, Case>> = {
  text: { kind: text, accepted: [[" a b", " a b"]], refused: [""] },
  path: { kind: path, accepted: [["a/b.yaml", "a/b.yaml"]], refused: ["", "a\0b"] },
  count: {
    kind: count,
    accepted: [
      ["0", 0],
      ["9007199254740991", 9_007_199_254_740_991],
    ],
    refused: ["", "-1", "1.0", "1e3", "NaN", "Infinity", " 1", "0x10", "9007199254740992"],
  },
  seed: { kind: seed, accepted: [["4294967295", 4_294_967_295]], refused: ["4294967296", "-1", "NaN"] },
  port: { kind: port, accepted: [["65535", 65_535]], refused: ["65536", "http"] },
  probability: {
    kind: probability,
    accepted: [
      ["0", 0],
      ["1", 1],
      ["0.05", 0.05],
      ["5e-2", 0.05],
    ],
    refused: ["", "1.01", "-0.1", "NaN", "abc", "Infinity", ".5", "0.5 ", "50%"],
  },
  duration: {
    kind: duration,
    accepted: [
      ["30s", 30],
      ["15m", 900],
      ["12h", 43_200],
      ["90d", 7_776_000],
    ],
    refused: ["", "0s", "10", "d", "1.5h", "-1d", "1w"],
  },
  id: {
    kind: id,
    accepted: [
      ["abcd", "abcd"],
      [hex, hex],
    ],
    refused: ["", "abc", "ABCD", "xyz1", `${hex}a`],
  },
  list: { kind: list, accepted: [["a, b", ["a", "b"]]], refused: ["", "a,", "a,a"] },
  name: { kind: name, accepted: [["ann@x.org", "ann@x.org"]], refused: ["", "-a", "a b", "a/b"] },
  principal: {
    kind: principal,
    accepted: [["ann=keys/a=b.pem", { name: "ann", publicKey: "keys/a=b.pem" }]],
    refused: ["ann", "=x", "ann=", ""],
  },
  reference: {
    kind: reference,
    accepted: [
      ["abcd", { kind: "id", id: "abcd" }],
      ["a.yaml", { kind: "file", path: "a.yaml" }],
      ["./abcd", { kind: "file", path: "./abcd" }],
    ],
    refused: [""],
  },
  choice: { kind: choice("low", "high"), accepted: [["high", "high"]], refused: ["", "HIGH", "medium"] },
};

for (const [title, { kind, accepted, refused }] of Object.entries(cases)) {
  test(`${title} reads its values and nothing else`, () => {
    for (const [raw, value] of accepted) assert.equal(kind.parse(raw, "--x"), value, raw);
    for (const raw of refused) assert.match(throws(() => kind.parse(raw, "--x"), "USAGE").message, /^--x/, raw);
  });
}
