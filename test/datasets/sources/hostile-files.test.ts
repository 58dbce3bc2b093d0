/** Files that are small, and legal or nearly so, whose reading must not cost more than their bytes. */
import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { repeatedField } from "../../../datasets/repeated-field.js";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { sheetsOf } from "../../../datasets/sources/tables/read-xlsx.js";
import { readRegularInput } from "../../../src/base/files.js";
import { assert, rejects, test } from "../../support/test.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (file: string, bytes: Uint8Array) => parseSource([{ file, bytes }], defaultChoices);

/** A workbook whose one sheet has this content of `sheetData`. */
function workbook(rows: string): Uint8Array {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packaged = "http://schemas.openxmlformats.org/package/2006/relationships";
  return zipSync({
    "xl/workbook.xml": utf8(
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="T" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": utf8(
      `<Relationships xmlns="${packaged}"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    "xl/worksheets/sheet1.xml": utf8(`<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`),
  });
}

const cell = (place: string, text: string): string => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;

test("a cell in column ZZZZZZ and one in row 4,294,967,295 cost no more than any other", async () => {
  const rows = row(1, cell("A1", "text") + cell("ZZZZZZ1", "label")) + row(4_294_967_295, cell("A4294967295", "hello"));
  const grid = (await sheetsOf({ file: "t.xlsx", bytes: workbook(rows) }))[0]?.grid ?? { rows: [] };
  assert.equal(grid.rows, [
    { at: "row 1", cells: ["text", "label"] },
    { at: "row 4294967295", cells: ["hello", null] },
  ]);
});

test("20,000 rows with one cell in the last column of Excel are read, with the numbers of their rows", async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    const number = 2 * index + 1;
    return row(number, cell(`B${number}`, `text ${index}`) + (index === 7 ? cell(`XFD${number}`, "note") : ""));
  });
  const grid = (await sheetsOf({ file: "t.xlsx", bytes: workbook(rows.join("")) }))[0]?.grid ?? { rows: [] };
  assert.is(grid.rows.length, 20_000);
  assert.equal(grid.rows[7], { at: "row 15", cells: ["text 7", "note"] });
  assert.equal(grid.rows[19_999]?.at, "row 39999");
});

test("cells on a long diagonal are refused by the limit, which is named", async () => {
  const letters = (column: number): string => {
    let text = "";
    for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      text = String.fromCharCode(65 + ((rest - 1) % 26)) + text;
    }
    return text;
  };
  const rows = Array.from({ length: 6000 }, (_, index) =>
    row(index + 1, cell(`${letters(index + 1)}${index + 1}`, "x")),
  );
  const error = await rejects(sheetsOf({ file: "t.xlsx", bytes: workbook(rows.join("")) }), "TOO_LARGE");
  assert.match(error.message, "t.xlsx: a sheet spans 6000 rows and 6000 columns, expected at most 20000000 cells");
});

test("thirty schemas that each contain the next one ten times are read, with every field once", async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => {
      const next = Array.from({ length: 10 }, () => ({ $ref: `#/components/schemas/S${index + 1}` }));
      return [`S${index}`, { ...(index < 29 ? { allOf: next } : {}), properties: { [`field_${index}`]: {} } }];
    }),
  );
  const body = { content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } };
  const document = {
    openapi: "3.0.0",
    paths: { "/orders": { post: { operationId: "create_order", requestBody: body } } },
    components: { schemas },
  };
  const { workflows } = await read("api.json", utf8(JSON.stringify(document)));
  assert.equal(
    workflows[0]?.inputs.map(({ name }) => name).sort(),
    Object.keys(schemas)
      .map((name) => `field_${name.slice(1)}`)
      .sort(),
  );
});

test("a pipe is refused instead of waited for", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-pipe-"));
  const pipe = join(folder, "pipe.csv");
  execFileSync("mkfifo", [pipe]);
  assert.match((await rejects(readRegularInput(pipe), "FILE_REFUSED")).message, "not a regular file");
});

test("a table in which programs mixed CRLF and LF loses no row", async () => {
  const lines = Array.from({ length: 184 }, (_, index) => `request number ${index},label_${index % 8}`);
  const text = `text,label\r\n${lines.map((line, index) => line + (index % 3 === 0 ? "\n" : "\r\n")).join("")}`;
  assert.is((await read("mixed.csv", utf8(text))).texts.length, 184);
  assert.is((await read("old.csv", utf8(text.replaceAll("\r\n", "\r")))).texts.length, 184);
});

test("a field that is named twice is refused with its path", async () => {
  const text = '{"a": [1, {"b": "x\\"}"}, {"c": 1, "d": {}, "c": 2}]}';
  assert.is(repeatedField(text), "/a/2/c");
  assert.is(repeatedField('{"a": {"a": [{"a": ":"}]}, "b": "a"}'), null);
  const error = await rejects(
    read("requests.json", utf8('[{"text":"hi","label":"a","label":"b"}]')),
    "DOCUMENT_INVALID",
  );
  assert.match(error.message, "requests.json: the field /0/label occurs twice");
});

test("a key that a YAML map has twice is refused, because one list of texts would be lost", async () => {
  const group = (name: string) => `  - intent: ${name}\n    examples: |\n      - hello there\n      - good day\n`;
  const error = await rejects(read("nlu.yml", utf8(`nlu:\n${group("a")}nlu:\n${group("b")}`)), "DOCUMENT_INVALID");
  assert.match(error.message, "nlu.yml: the key nlu occurs twice in its map");
});

test("an archive in which a byte of a file changed is refused with the name of the file", async () => {
  const texts = utf8("where is my parcel\nit should be here\n");
  const files = { "track.intent": texts, "refund.intent": utf8("money back\n") };
  const whole = zipSync(files, { level: 0 });
  assert.is((await read("bot.zip", whole)).texts.length, 3);
  const damaged = Buffer.from(whole);
  damaged[damaged.indexOf("parcel")] = 66;
  const error = await rejects(read("bot.zip", damaged), "DOCUMENT_INVALID");
  assert.match(error.message, "bot.zip: track.intent: the ZIP archive is damaged");
});

test("more labels than a catalog has are named before anything is done with them", async () => {
  const lines = Array.from({ length: 50_001 }, (_, index) => `request ${index},label_${index}`);
  const error = await rejects(read("wide.csv", utf8(`text,label\n${lines.join("\n")}\n`)), "TOO_LARGE");
  assert.match(error.message, "found 50001 different labels, expected at most 50000, the limit of a catalog");
});
