import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { defaultChoices } from "../../../../datasets/sources/choices.js";
import { parseSource } from "../../../../datasets/sources/parse-source.js";
import { explainedByText } from "../../../../datasets/sources/tables/explained-by-text.js";
import { packageFolder } from "../../../../src/base/package-facts.js";
import { assert, rejects, test } from "../../../support/test.js";

/** The shipped example: texts and their intents. */
const example = async (): Promise<readonly (readonly string[])[]> => {
  const bytes = await readFile(join(packageFolder(), "datasets", "example", "support-requests.csv"));
  return parse(bytes, {}).slice(1);
};

/** The texts of the example as a table with further columns; `intent` is the intent. */
async function tableOf(columns: Readonly<Record<string, (row: number, intent: string) => string>>) {
  const rows = await example();
  const lines = rows.map(([text = "", intent = ""], row) =>
    [text, ...Object.values(columns).map((cell) => cell(row, intent))].map((cell) => `"${cell}"`).join(","),
  );
  const bytes = Buffer.from([["Guest wrote", ...Object.keys(columns)].join(","), ...lines].join("\n"));
  return parseSource([{ file: "t.csv", bytes }], defaultChoices);
}

const staff = ["Lena", "Tom", "Ivy", "Sam", "Pia"];
const clerk = (row: number): string => staff[(row * 7 + (row >> 3)) % staff.length] ?? "";
const same = (_: number, intent: string): string => intent;

test("the words of requests explain their workflow, and neither who took them nor a running number", async () => {
  const rows = await example();
  const texts = rows.map(([text = ""]) => text);
  const share = explainedByText(
    texts,
    rows.map(([, intent = ""]) => intent),
  );
  assert.ok((share ?? 0) > 0.2, String(share));
  const persons = explainedByText(
    texts,
    texts.map((_, row) => clerk(row)),
  );
  assert.ok(Math.abs(persons ?? 1) < 0.03, String(persons));
  assert.is(
    explainedByText(
      texts,
      texts.map((_, row) => `A-${row}`),
    ),
    0,
  );
  assert.is(explainedByText(["where is it", "stop that"], ["a", "b"]), null, "no word occurs twice");
});

test("a column of persons is not the label, whatever its name, and needs no question", async () => {
  for (const name of ["Taken by", "Clerk", "Agent", "Assigned to"]) {
    const { columns } = await tableOf({
      [name]: clerk,
      "What it was about": same,
      Room: (row) => `${(row % 7) + 100}`,
    });
    assert.equal([columns?.labelColumn, columns?.alsoLabels], ["What it was about", []], name);
  }
});

test("a person is asked where the words explain two columns, and only about these", async () => {
  const desk = (_: number, intent: string): string => `desk ${intent.slice(0, 1)}`;
  const other = (_: number, intent: string): string => intent.split("_")[1] ?? intent;
  const error = await rejects(tableOf({ xx: desk, yy: other, "Taken by": clerk }), "DOCUMENT_INVALID");
  assert.match(error.message, /2 columns may hold the label: "(?:xx|yy)", "(?:xx|yy)"$/);
});
