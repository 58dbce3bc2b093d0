/** Files that are small, and legal or nearly so, whose reading must not cost more than their bytes. */
import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { repeatedField } from "../../../datasets/repeated-field.js";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { sheetsOf } from "../../../datasets/sources/tables/read-workbook.js";
import { readRegularInput } from "../../../src/base/files.js";
import { assert, rejects, test, throws } from "../../support/test.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (file: string, bytes: Uint8Array) => parseSource([{ file, bytes }], defaultChoices);

/** A workbook whose one sheet has this content of `sheetData`. */
function workbook(rows: string, after = "", texts = ""): Uint8Array {
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
    "xl/sharedStrings.xml": utf8(texts),
    "xl/worksheets/sheet1.xml": utf8(`<worksheet xmlns="${main}"><sheetData>${rows}</sheetData>${after}</worksheet>`),
  });
}

const cell = (place: string, text: string): string => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;

test("a cell in the last column and one in row 9,999,999 cost no more than any other", () => {
  const rows = row(1, cell("A1", "text") + cell("ZZZ1", "label")) + row(9_999_999, cell("A9999999", "hello"));
  const grid = sheetsOf({ file: "t.xlsx", bytes: workbook(rows) })[0]?.grid ?? { rows: [] };
  assert.equal(grid.rows, [
    { at: "row 1", cells: ["text", "label"] },
    { at: "row 9999999", cells: ["hello", null] },
  ]);
});

test("20,000 rows with one cell in the last column of Excel are read, with the numbers of their rows", () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    const number = 2 * index + 1;
    return row(number, cell(`B${number}`, `text ${index}`) + (index === 7 ? cell(`XFD${number}`, "note") : ""));
  });
  const grid = sheetsOf({ file: "t.xlsx", bytes: workbook(rows.join("")) })[0]?.grid ?? { rows: [] };
  assert.is(grid.rows.length, 20_000);
  assert.equal(grid.rows[7], { at: "row 15", cells: ["text 7", "note"] });
  assert.equal(grid.rows[19_999]?.at, "row 39999");
});

test("cells on a long diagonal are refused by the limit, which is named", () => {
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
  const error = throws(() => sheetsOf({ file: "t.xlsx", bytes: workbook(rows.join("")) }), "TOO_LARGE");
  assert.match(error.message, 't.xlsx: sheet "T" spans 6000 rows and 6000 columns for 6000 filled cells');
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

test("a schema that is composed of too many others is said to have lost inputs", async () => {
  const schemas = Array.from({ length: 150 }, (_, index) => [
    `S${index}`,
    { ...(index < 149 ? { allOf: allOf(index) } : {}), properties: { [`f${index}`]: {} } },
  ]);
  const document = {
    openapi: "3.0.0",
    paths: {
      "/p": {
        post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } } },
      },
    },
    components: { schemas: Object.fromEntries(schemas) },
  };
  const { workflows, decisions } = await read("api.json", utf8(JSON.stringify(document)));
  assert.is(workflows[0]?.inputs.length, 100);
  assert.ok(
    decisions.includes("1 schema is composed of more than 100 others; the inputs of the rest were left out."),
    decisions.join(" "),
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

for (const [name, attributes] of [
  ["lower case", 'r="zzzzzz2"'],
  ["other characters", 'r="B[[[[[[2"'],
  ["a character reference", 'r="ZZZZZ&#90;2"'],
  ["another attribute before it", 'a=">" r="ZZZZZZ2"'],
] as const) {
  test(`an address in Excel that is none is refused by name: ${name}`, async () => {
    const cells = `<c ${attributes} t="inlineStr"><is><t>x</t></is></c>`;
    const error = await rejects(read("t.xlsx", workbook(row(2, cells))), "DOCUMENT_INVALID");
    assert.match(
      error.message,
      /^t\.xlsx: sheet "T": found a cell at "(?:zzzzzz2|B\[{6}2|Z{6}2)", expected an address/,
    );
  });
}

/** Processor time of a call, in seconds, whether it is refused or not. */
async function secondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await Promise.resolve()
    .then(work)
    .catch((error: unknown) => assert.is((error as { readonly code?: string }).code === "INTERNAL", false));
  return process.cpuUsage(before).user / 1e6;
}

const labelled = (texts: readonly string[]): string =>
  `text,label\n${texts.map((text, index) => `"${text} ${index}",label ${index % 4}`).join("\n")}\n`;
const twoCells = (at: number): string => row(at, cell(`A${at}`, `hello ${at}`) + cell(`B${at}`, `label ${at % 5}`));
const allOf = (index: number) => [{ $ref: `#/components/schemas/S${index + 1}` }];

/** Small files whose reading took minutes: the work must grow with their bytes. */
const slowOnce: readonly (readonly [string, string, () => Uint8Array])[] = [
  ["200,000 beginnings of merged cells", "t.xlsx", () => workbook(twoCells(1), "<mergeCell ".repeat(200_000))],
  [
    "a merged range in each of 30,000 rows",
    "t.xlsx",
    () => {
      const rows = Array.from({ length: 30_000 }, (_, index) => twoCells(index + 1));
      const merged = rows.map((_, index) => `<mergeCell ref="C${index + 1}:D${index + 1}"/>`);
      return workbook(rows.join(""), `<mergeCells>${merged.join("")}</mergeCells>`);
    },
  ],
  [
    "20,000 merged ranges that overlap",
    "t.xlsx",
    () => {
      const rows = Array.from({ length: 20_000 }, (_, index) => twoCells(index + 1));
      return workbook(rows.join(""), `<mergeCells>${'<mergeCell ref="A1:B20000"/>'.repeat(20_000)}</mergeCells>`);
    },
  ],
  ["a bracket and bars in a template", "refund.intent", () => utf8(`hello\n(${"|".repeat(300_000)}\n`)],
  ["bars in each of many templates", "refund.intent", () => utf8(`(${"|".repeat(7000)}\n`.repeat(100))],
  ["aliases of Chatito that do not end", "a.chatito", () => utf8(`%[refund]\n    ${"~[".repeat(300_000)}\n`)],
  [
    "bars in sentences of Home Assistant",
    "a.yaml",
    () =>
      utf8(
        `intents:\n  TurnOn:\n    data:\n      - sentences:\n          - "(${"|".repeat(300_000)}"\n          - turn on\n`,
      ),
  ],
  [
    "45,000 labels that give one id",
    "t.csv",
    () =>
      utf8(
        `text,label\n${Array.from({ length: 45_000 }, (_, at) => `hello ${at},${"!".repeat(at % 9)}Refund${"?".repeat(at / 9)}`.slice(0, 60)).join("\n")}\n`,
      ),
  ],
  [
    "a chain of 2,500 schemas, each of an operation",
    "api.json",
    () => {
      const all = Array.from({ length: 2500 }, (_, index) => index);
      const schemas = all.map((index) => [
        `S${index}`,
        { ...(index < 2499 ? { allOf: allOf(index) } : {}), properties: { [`f${index}`]: {} } },
      ]);
      const paths = all.map((index) => [
        `/p${index}`,
        {
          post: {
            requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/S${index}` } } } },
          },
        },
      ]);
      return utf8(
        JSON.stringify({
          openapi: "3.0.0",
          paths: Object.fromEntries(paths),
          components: { schemas: Object.fromEntries(schemas) },
        }),
      );
    },
  ],
  ["texts of 7,900 line breaks", "t.csv", () => utf8(labelled(Array.from({ length: 100 }, () => "\n".repeat(7900))))],
  ["texts of style tags", "t.csv", () => utf8(labelled(Array.from({ length: 100 }, () => "<style".repeat(1300))))],
  [
    "rows of objects that each have a field of their own",
    "t.jsonl",
    () =>
      utf8(
        Array.from({ length: 20_000 }, (_, at) => `{"text":"hello ${at}","label":"a${at % 3}","k${at}":1}`).join("\n"),
      ),
  ],
  [
    "50,000 cells with one text of 8,000 characters",
    "t.xlsx",
    () => {
      const rows = Array.from({ length: 50_000 }, (_, at) => row(at + 1, `<c r="A${at + 1}" t="s"><v>0</v></c>`));
      return workbook(rows.join(""), "", `<sst><si><t>${"word ".repeat(1600)}</t></si></sst>`);
    },
  ],
];
for (const [name, file, bytes] of slowOnce) {
  test(`reading takes at most two seconds for each megabyte: ${name}`, async () => {
    const made = bytes();
    const allowed = 2 * Math.max(1, made.length / 1e6);
    const seconds = await secondsOf(() => read(file, made));
    assert.ok(seconds < allowed, `${seconds} s of ${allowed}`);
  });
}

test("the comment of an archive may contain the signature of its directory", async () => {
  const whole = Buffer.from(
    zipSync({ "track.intent": utf8("where is it\nparcel\n"), "refund.intent": utf8("money\n") }),
  );
  const comment = Buffer.from(`note PK\u0005\u0006 ${"x".repeat(40)}`, "latin1");
  whole.writeUInt16LE(comment.length, whole.length - 2);
  assert.is((await read("bot.zip", Buffer.concat([whole, comment]))).texts.length, 3);
});

for (const [file, text] of [
  ["tools.json", `{"tools":[{"name":"a","inputSchema":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}]}`],
  ["rows.jsonl", `{"text":"a","label":${"[".repeat(50_000)}1${"]".repeat(50_000)}}\n{"text":"a","label":"b"}`],
  ["nlu.yml", `intents: ${"[".repeat(50_000)}1${"]".repeat(50_000)}`],
  ["list.yml", `${"- ".repeat(50_000)}a`],
] as const) {
  test(`values nested 50,000 deep are refused by the name of their file: ${file}`, async () => {
    const error = await rejects(read(file, utf8(text)), "DOCUMENT_INVALID");
    assert.match(error.message, `${file}`);
    assert.match(error.message, "nested more than 100 deep");
  });
}
