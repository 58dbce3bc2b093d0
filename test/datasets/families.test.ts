import { alikeTexts, familiesOf, type FamilyInput } from "../../datasets/families.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test } from "../support/test.js";
import { aRequest } from "../support/score-cases.js";

type Row = readonly [text: string, workflowId: string | null, groupId?: string];
const rowsOf = (rows: readonly Row[]) =>
  rows.map(([text, workflowId, groupId], i) =>
    aRequest({ id: `${i}`, text, workflow_id: workflowId, group_id: groupId ?? null }),
  );
const families = (rows: readonly Row[], more: Omit<FamilyInput, "rows"> = {}): readonly number[] => {
  const { of } = familiesOf({ rows: rowsOf(rows), ...more });
  return of.map((name) => of.indexOf(name));
};

test("joins rows with one group, whatever their labels", () => {
  assert.equal(
    families([
      ["pay now", "a", "g"],
      ["cancel it", "b", "g"],
      ["hello", null, "g"],
      ["bye", null],
    ]),
    [0, 0, 0, 3],
  );
});

test("near-copies are a part of a family: groups and copies, but not texts that share half of their words", () => {
  const rows = rowsOf([
    ["can i have the saw set aside tomorrow", "a"],
    ["Can I have the saw set aside tomorrow?", "a"],
    ["can i have the saw set aside after work", "a"],
    ["hand it back", "b", "g"],
    ["is it due", "b", "g"],
  ]);
  const { of, nearCopyOf } = familiesOf({ rows });
  assert.is(new Set(of).size, 2);
  assert.equal(nearCopyOf, [0, 0, 2, 3, 3]);
});

test("joins equal texts up to case and punctuation, and near-copies, across workflows", () => {
  const long = "please tell me when the parcel will be here";
  assert.equal(
    families([
      ["Pay now!", "a"],
      ["pay, now", "b"],
      [long, "a"],
      [`${long}!!`, null],
    ]),
    [0, 0, 2, 2],
  );
});

test("joins texts that share half of their words and word pairs within a workflow and out of scope, not across", () => {
  // 5 of 9 shingles are shared: .56.
  const [first, second] = ["where is my parcel", "so where is my"];
  assert.equal(
    families([
      [first, "a"],
      [second, "a"],
      [second, "b"],
    ]),
    [0, 0, 0],
    "the copy in b joins the two",
  );
  assert.equal(
    families([
      [first, "a"],
      ["so where is my", "b"],
    ]),
    [0, 1],
  );
  assert.equal(
    families([
      [first, null],
      [second, null],
    ]),
    [0, 0],
  );
});

test("two declared groups are joined by near-copies only", () => {
  const [first, second] = ["where is my parcel", "so where is my"];
  assert.equal(
    families([
      [first, null, "g"],
      [second, null, "h"],
    ]),
    [0, 1],
  );
  assert.equal(
    families([
      [first, null, "g"],
      [second, null],
    ]),
    [0, 0],
  );
  assert.equal(
    families([
      [first, null, "g"],
      [`${first}!`, null, "h"],
    ]),
    [0, 0],
  );
});

test("a row belongs to the family of the example that it resembles", () => {
  const examples = [{ workflowId: "a", text: "where is my parcel" }];
  const { exampleOf, of } = familiesOf({
    rows: rowsOf([
      ["where is my parcel please", "a"],
      ["hi where is my parcel", "a"],
      ["cancel it", "a"],
    ]),
    examples,
  });
  assert.equal(exampleOf, [examples[0], examples[0], undefined]);
  assert.is(of[0], of[1]);
});

/** A unit vector at an angle whose cosine to the first axis is given. */
const at = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));

test("a cosine of at least .9 joins texts of one workflow that share no word, an example among them", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["abc", "a"],
    ["def", "a"],
    ["longer", "a"],
    ["ghi", "b"],
    ["jkl", "b"],
  ];
  const rows = rowsOf(texts);
  const examples = [{ workflowId: "a", text: "Mno!" }];
  const vectors = new Map([
    ["abc", at(1)],
    ["def", at(0.91)],
    ["longer", at(0)],
    ["Mno!", at(0.05)],
    ["ghi", at(-1)],
    ["jkl", at(-0.5)],
  ]);
  const alike = alikeTexts({ rows, examples }, vectors);
  assert.equal(families(texts, { alike }), [0, 0, 2, 3, 4]);
  const edited = rows.toReversed().slice(1);
  assert.equal(
    familiesOf({ rows: edited, examples, alike }).exampleOf.map((example) => example?.text),
    [undefined, "Mno!", undefined, undefined],
  );
});

test("an encoder to which texts of other workflows look alike joins nothing", () => {
  const rows = rowsOf([
    ["abc", "a"],
    ["def", "a"],
    ["ghi", "b"],
  ]);
  assert.equal(alikeTexts({ rows }, new Map(rows.map(({ text }) => [text, at(1)]))), []);
});

test("agrees with comparing every pair of random texts of one workflow", () => {
  const random = seededRandom(7);
  const words = Array.from({ length: 25 }, (_, i) => `word${i}`);
  const texts = Array.from({ length: 300 }, () =>
    Array.from({ length: random.integer(2, 5) }, () => words[random.integer(0, 24)] ?? "").join(" "),
  );
  const shingles = texts.map((text) => {
    const own = text.split(" ");
    return new Set([...own, ...own.slice(1).map((word, i) => `${own[i]} ${word}`)]);
  });
  const names = texts.map((_, i) => i);
  for (const [i, a] of shingles.entries()) {
    for (const [j, b] of shingles.slice(0, i).entries()) {
      const shared = [...a].filter((one) => b.has(one)).length;
      if (shared / (a.size + b.size - shared) < 0.5 || names[i] === names[j]) continue;
      const [from, to] = [Math.max(names[i] ?? 0, names[j] ?? 0), Math.min(names[i] ?? 0, names[j] ?? 0)];
      for (const [at, name] of names.entries()) if (name === from) names[at] = to;
    }
  }
  assert.ok(new Set(names).size < 280, "some are joined");
  assert.equal(families(texts.map((text) => [text, "a"] as const)), names);
});

test("names do not depend on the order of the rows", () => {
  const rows = rowsOf([
    ["where is my parcel", "a"],
    ["so where is my", "a"],
    ["stop", null, "g"],
    ["halt", null, "g"],
  ]);
  const named = ({ of }: { readonly of: readonly string[] }, order: readonly { readonly id: string }[]) =>
    Object.fromEntries(order.map(({ id }, i) => [id, of[i]]));
  const shuffled = seededRandom(1).shuffle(rows);
  assert.equal(named(familiesOf({ rows: shuffled }), shuffled), named(familiesOf({ rows }), rows));
});
