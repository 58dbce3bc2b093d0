import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, pluck, test } from "../support/test.js";
import { succeed } from "./support/small-workspace.js";

/** A spreadsheet of 200 rows as several people have put it together: every row is accounted for. */

interface Init {
  readonly rows: number;
  readonly examples: number;
  readonly held_out: number;
  readonly out_of_scope: number;
  readonly left_out: Readonly<Record<string, number>>;
  readonly decisions: readonly string[];
  readonly workflows: readonly { readonly workflow_id: string; readonly examples: number; readonly held_out: number }[];
}

const voices = [
  ["Refund", "i want my money back for", "refund please, order", "når får jeg pengene tilbage for"],
  ["track order ", "where is parcel", "wo ist mein Päckchen", "track"],
  ["cancel", "cancel order", "annuler la commande n°", "stop order"],
  ["Café menu", "what's on the menu at the café on day", "crème brûlée today? table", "any vegan dish on day"],
] as const;

type Row = readonly [text: string, label: string];

/** 186 rows of four intents, some with another spelling of the label, and 14 that something is wrong with. */
function messyRows(): readonly Row[] {
  const rows = Array.from({ length: 186 }, (_, at): Row => {
    const [label = "", ...texts] = voices[at % voices.length] ?? [];
    const text = `${texts[Math.floor(at / 4) % 3] ?? ""} ${at}`;
    return [at % 7 === 0 ? `  ${text}   ` : text, at % 11 === 0 ? label.toUpperCase() : label];
  });
  const blank = Array.from({ length: 4 }, (_, at): Row => [`nobody said what ${at} is`, "  "]);
  const wrong: readonly Row[] = [
    ["", "cancel"],
    ["   ", "Refund"],
    ["x".repeat(9000), "cancel"],
    ["Cancel order 2", "cancel"],
    ["cancel order 2!", "cancel"],
    ["where is parcel 1", "cancel"],
    ["only me", "lonely"],
    ["tell me a joke", "none"],
    ['he said "stop"; then left', "cancel"],
    ["two\nlines", "cancel"],
  ];
  return [...rows, ...blank, ...wrong];
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Every second row comes from a program that writes Windows-1252. */
function messyBytes(rows: readonly Row[]): Buffer {
  const line = (row: readonly string[]): string => `${row.map(quoted).join(";")}\r\n`;
  const parts = rows.map(([text, label], at) =>
    Buffer.from(line([text, label, "bob"]), at % 2 === 0 ? "utf8" : "latin1"),
  );
  return Buffer.concat([Buffer.from(line(["text", "intent", "agent"])), ...parts]);
}

test("mixed encodings, blank labels, duplicates, stray spaces and an intent with one row: nothing is lost", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = messyRows();
    assert.is(rows.length, 200);
    await writeFile(join(cwd, "messy.csv"), messyBytes(rows));
    const made = await succeed<Init>(cwd, "init", "messy.csv", "--into", "p", "--yes");
    const left = Object.values(made.left_out).reduce((total, count) => total + count, 0);
    assert.equal([made.rows, made.held_out + made.out_of_scope + left], [200, 199]);
    assert.is(
      made.examples,
      made.held_out + 1,
      "a text is an example and is measured without itself, if it is not the only one",
    );
    assert.equal(made.left_out, { no_text: 2, no_label: 4, too_long: 1, repeated: 2, two_labels: 2 });
    assert.equal(pluck(made.workflows, "workflow_id"), ["cafe_menu", "refund", "cancel", "lonely", "track_order"]);
    const said = made.decisions.join("\n");
    assert.match(said, "each line was read in its own encoding");
    assert.match(said, '"Café menu" is also written "CAFÉ MENU"; they are merged into one workflow.');
    assert.equal(
      made.workflows.filter(({ workflow_id: id }) => id === "lonely").map((one) => [one.examples, one.held_out]),
      [[1, 0]],
    );
    assert.match(
      said,
      "Workflows without a test request, because they have at most one text: lonely. They are declined until they have one.",
    );
    const listed = (await readFile(join(cwd, "p", "left-out.csv"), "utf8")).trim().split("\n");
    assert.is(listed.length - 1, left);
    const catalog = await readFile(join(cwd, "p", "catalog.yaml"), "utf8");
    assert.match(catalog, /crème brûlée|café/);
    assert.not.match(catalog, /Ã|�/);
    await succeed(cwd, "run", "-C", "p");
  }));
