import { zipSync } from "fflate";
import { defaultChoices, type MaterialChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { SluiceError } from "../../../src/base/error.js";
import { assert, pluck, rejects, test } from "../../support/test.js";

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const read = (file: string, bytes: Uint8Array, choices: Partial<MaterialChoices> = {}) =>
  parseSource([{ file, bytes }], { ...defaultChoices, ...choices });

const tickets = [
  ["text", "intent"],
  ["where is my parcel, it should have come on monday", "track_order"],
  ["i want my money back", "refund"],
  ["parcel still not here", "track_order"],
  ["what's the weather like", "none"],
] as const;

const delimited = (delimiter: string): string => tickets.map((row) => row.join(delimiter)).join("\r\n");
const labels = ["track_order", "refund", "track_order", null] as const;

test("commas inside of texts do not hide the real delimiter", async () => {
  for (const [delimiter, word] of [
    [";", "semicolons"],
    ["\t", "tabs"],
    ["|", "bars"],
  ] as const) {
    const found = await read("tickets.csv", utf8(delimited(delimiter)));
    assert.equal(pluck(found.texts, "label"), labels);
    assert.equal(found.texts[0]?.text, tickets[1][0]);
    assert.ok(found.decisions.includes(`Cells are separated by ${word}.`), found.decisions.join(" "));
  }
});

test("UTF-8 with a mark, UTF-16 both ways and Windows-1252 give the same texts", async () => {
  const content = "text;intent\nje veux être remboursé;refund\nwhere's my café order;track\n";
  const utf16 = Buffer.from(content, "utf16le");
  const swapped = Buffer.from(utf16).swap16();
  const encodings: readonly (readonly [string | null, Uint8Array])[] = [
    [null, utf8(content)],
    [null, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8(content)])],
    ["UTF-16LE", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ["UTF-16BE", Buffer.concat([Buffer.from([0xfe, 0xff]), swapped])],
    ["UTF-16LE", utf16],
    ["Windows-1252", Buffer.from(content, "latin1")],
  ];
  for (const [encoding, bytes] of encodings) {
    const found = await read("export.csv", bytes);
    assert.equal(pluck(found.texts, "text"), ["je veux être remboursé", "where's my café order"]);
    assert.is(found.decisions.includes(`The file is in ${encoding ?? ""}.`), encoding !== null);
  }
});

test("the characters that only Windows-1252 has are read as such", async () => {
  const bytes = [
    ...Buffer.from("text;intent\nI\u0092d pay 5 \u0080 \u0096 my \u008akoda\u0085;pay\nwhere is it;track\n", "latin1"),
  ];
  const found = await read("export.csv", Uint8Array.from(bytes));
  assert.equal(pluck(found.texts, "text"), ["I’d pay 5 € – my Škoda…", "where is it"]);
});

test("a file without a header is read by what its columns hold", async () => {
  const rows = Array.from(
    { length: 12 },
    (_, i) => `${i % 3 === 0 ? "refund" : "delivery"},request number ${i} is a sentence`,
  );
  const found = await read("plain.csv", utf8(rows.join("\n")));
  assert.is(found.texts.length, 12);
  assert.equal(found.texts[0], {
    file: "plain.csv",
    at: "line 1",
    text: "request number 0 is a sentence",
    label: "refund",
    part: null,
  });
  assert.ok(found.decisions.includes("The file has no header row."));
});

test("columns with unusual names are told apart, or named by the caller", async () => {
  const rows = Array.from(
    { length: 20 },
    (_, i) => `${i},${i % 2 === 0 ? "billing" : "shipping"},a customer wrote sentence ${i}`,
  );
  const table = utf8(["nr,bucket,what they wrote", ...rows].join("\n"));
  const found = await read("odd.csv", table);
  assert.is(found.texts[3]?.text, "a customer wrote sentence 3");
  assert.is(found.texts[3]?.label, "shipping");
  const named = await read("odd.csv", table, { textColumn: "what they wrote", labelColumn: "nr" });
  assert.is(named.texts[3]?.label, "3");
  const error = await read("odd.csv", table, { textColumn: "body" }).catch((thrown: unknown) => thrown);
  assert.instance(error, SluiceError);
  assert.match((error as SluiceError).message, /no column "body"; found nr, bucket, what they wrote/);
});

test("published parts are preserved", async () => {
  const found = await read(
    "parts.csv",
    utf8("text,label,split\na first text,x_one,train\na second text,x_one,TEST\na third,y_two,dev\n"),
  );
  assert.equal(pluck(found.texts, "part"), ["train", "test", "validation"]);
});

const odd = ["Ticket #;Customer wrote;Value (EUR);Handled by / Queue;", "T-1;my parcel is lost;5,00 €;Track;"];
const more = ["T-2;money back please;1.200,00 €;Refund;", "T-3;where is it;;Track;", "T-4;refund me;1 €;Refund;"];
const rest = ["T-5;no parcel here;2 €;Track;", "T-6;I was charged twice;3 €;Refund;"];

test("headers with signs and empty cells are headers, and do not become a label", async () => {
  for (const header of [odd[0] ?? "", "Ticket #;What the customer wrote to us;Value;Team that handled the ticket;"]) {
    const found = await read("export.csv", utf8([header, ...odd.slice(1), ...more, ...rest].join("\n")));
    assert.equal([...new Set(found.texts.map(({ label }) => label))], ["Track", "Refund"]);
    assert.ok(found.decisions.includes("The first row names the columns."), found.decisions.join(" "));
  }
});

test("amounts, dates and times that repeat are not taken for labels", async () => {
  for (const value of ["1.299,00 €", "EUR 12.50", "$5", "2026-03-01", "12:30"]) {
    const texts = [
      "my parcel is lost",
      "money back please",
      "where is it now",
      "refund me please",
      "no parcel",
      "refund",
    ];
    const rows = texts.map(
      (text, index) => `${index === 0 ? "9.99" : value};${text};${index % 2 === 0 ? "track" : "refund"}`,
    );
    const found = await read("export.csv", utf8(["Value;Customer wrote;Handled by", ...rows].join("\n")));
    assert.equal([...new Set(found.texts.map(({ label }) => label))], ["track", "refund"], value);
  }
});

test("a row with the columns that the user names is the header", async () => {
  const choices = { textColumn: "what did the customer write today", labelColumn: "which team is it for" };
  const rows = [`1;${choices.textColumn};${choices.labelColumn}`, "1;my parcel is lost;track", "1;money back;refund"];
  const found = await read("export.csv", utf8(rows.join("\n")), choices);
  assert.equal(pluck(found.texts, "label"), ["track", "refund"]);
});

test("titles above the header are passed over and counted, with and without the delimiters of empty cells", async () => {
  const table = ["Nr.;Anfrage;;Thema", "1;ich brauche einen neuen Ausweis;;ausweis", "2;perso verloren;;ausweis"];
  const more = ["3;auto abmelden;;kfz", "4;Wunschkennzeichen reservieren bitte;;kfz"];
  const merged = "Bürgeranfragen;Bürgeranfragen;Bürgeranfragen;Bürgeranfragen";
  for (const title of ["Bürgeranfragen;;;", "Bürgeranfragen", merged]) {
    const found = await read("export.csv", utf8([title, "Stand 1. Februar", ...table, ...more].join("\r\n")));
    assert.equal(pluck(found.texts, "label"), ["ausweis", "ausweis", "kfz", "kfz"]);
    assert.equal(
      found.leftOut.map(({ at, reason }) => [at, reason]),
      [
        ["line 1", "above_header"],
        ["line 2", "above_header"],
      ],
    );
    assert.ok(found.decisions.includes("The header in line 3 names the columns."), found.decisions.join(" "));
  }
});

test("a title row of few cells above a wide table is passed over", async () => {
  const table = ["Nr;Date;Name;Request;Queue;Done", "1;2026-03-01;Ann;my card is lost;cards;yes"];
  const more = ["2;2026-03-02;Bob;renew my books;loans;no", "3;2026-03-02;Cy;card broken;cards;no"];
  const rows = ["Export of;2026-03-04;;;;", ...table, ...more, "4;2026-03-03;Di;books overdue;loans;yes"];
  const found = await read("export.csv", utf8(rows.join("\n")));
  assert.equal(pluck(found.texts, "label"), ["cards", "loans", "cards", "loans"]);
  assert.ok(found.decisions.includes("The header in line 2 names the columns."), found.decisions.join(" "));
});

test("a column that holds one value everywhere is no label", async () => {
  const rows = Array.from(
    { length: 12 },
    (_, i) => `desk,${i % 2 === 0 ? "refund" : "parcel"},sentence number ${i} of it`,
  );
  const found = await read("plain.csv", utf8(rows.join("\n")));
  assert.equal([found.texts[0]?.label, found.texts[1]?.label], ["refund", "parcel"]);
});

test("nested fields have separate columns", async () => {
  const lines = ["track", "refund", "track"].map((intent, index) =>
    JSON.stringify({
      id: index,
      message: { from: "user", content: { text: `request number ${index}` } },
      annotation: { intent, by: "ann" },
    }),
  );
  const found = await read("chat.jsonl", utf8([...lines, '{"id":3,"message":"gone","annotation":null}'].join("\n")));
  assert.equal(
    found.texts.map(({ text, label }) => [label, text]),
    [
      ["track", "request number 0"],
      ["refund", "request number 1"],
      ["track", "request number 2"],
    ],
  );
  assert.equal(pluck(found.leftOut, "reason"), ["no_text"]);
  assert.ok(found.decisions.includes('Texts come from "message.content.text", labels from "annotation.intent".'));
});

test("a file that is empty, binary or of one column is refused in these words", async () => {
  const rows = [
    ["empty.csv", utf8(""), /the file is empty/],
    ["photo.csv", Uint8Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256), /the file is binary/],
    ["one.csv", utf8("text\nwhere is it\nmoney back\n"), /one column of text and no labels/],
  ] as const;
  for (const [file, bytes, message] of rows) {
    const error = await read(file, bytes).catch((thrown: unknown) => thrown);
    assert.instance(error, SluiceError);
    assert.is((error as SluiceError).code, "FORMAT_UNKNOWN");
    assert.match((error as SluiceError).message, message);
  }
});

test("every row of a messy sheet is accounted for", async () => {
  const messy = [
    "Message,Category,",
    "please cancel my order ,cancel_order,",
    "PLEASE CANCEL MY ORDER!,cancel_order,",
    ",refund,",
    "who are you,,",
    "change my address,address,",
    "change my address,account,",
    `${"x".repeat(8001)},refund,`,
    "too many cells,refund,,extra",
    "i want a refund,refund,",
  ].join("\n");
  const found = await read("messy.csv", utf8(messy));
  assert.equal(pluck(found.texts, "at"), ["line 2", "line 10"]);
  assert.equal(
    found.leftOut.map(({ at, reason }) => [at, reason]).toSorted((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1)),
    [
      ["line 3", "repeated"],
      ["line 4", "no_text"],
      ["line 5", "no_label"],
      ["line 6", "two_labels"],
      ["line 7", "two_labels"],
      ["line 8", "too_long"],
      ["line 9", "ragged"],
    ],
  );
});

test("JSON lists and JSON Lines are tables", async () => {
  const objects = tickets.slice(1).map(([text, intent]) => ({ text, intent }));
  for (const [kind, content] of [
    ["json", JSON.stringify(objects, null, 1)],
    ["jsonl", objects.map((object) => JSON.stringify(object)).join("\n")],
  ] as const) {
    const found = await read("tickets.txt", utf8(content));
    assert.is(found.kind, kind);
    assert.equal(pluck(found.texts, "label"), labels);
  }
});

test("an Excel workbook is read from its largest sheet", async () => {
  const sheet = (rows: readonly (readonly string[])[]): Uint8Array =>
    utf8(
      `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows
        .map(
          (row, r) =>
            `<row r="${r + 1}">${row
              .map((cell, c) => `<c r="${"AB"[c]}${r + 1}" t="inlineStr"><is><t>${cell}</t></is></c>`)
              .join("")}</row>`,
        )
        .join("")}</sheetData></worksheet>`,
    );
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const workbook = zipSync({
    "[Content_Types].xml": utf8(
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    ),
    "xl/workbook.xml": utf8(
      `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Notes" sheetId="1" r:id="rId1"/><sheet name="Tickets" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": utf8(
      `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
    ),
    "xl/worksheets/sheet1.xml": sheet([["by the support team"]]),
    "xl/worksheets/sheet2.xml": sheet(tickets),
  });
  const found = await read("tickets.xlsx", workbook);
  assert.is(found.kind, "xlsx");
  assert.equal(pluck(found.texts, "label"), labels);
  assert.ok(found.decisions.includes("Skipped sheets: Notes."), found.decisions.join(" "));
});

test("a second column of the same name has a name of its own, which can be chosen", async () => {
  const rows = ["text,intent,intent", "where is it,track,late", "money back,refund,late", "not here,track,soon"];
  const found = await read("twice.csv", utf8(rows.join("\n")));
  assert.equal(pluck(found.texts, "label"), ["track", "refund", "track"]);
  assert.match(
    found.decisions.join(" "),
    '"intent (2)" also looks like a label. To use it, set --label-column "intent (2)"',
  );
  const other = await read("twice.csv", utf8(rows.join("\n")), { labelColumn: "intent (2)" });
  assert.equal(pluck(other.texts, "label"), ["late", "late", "soon"]);
});

test("a column for each label and cells with several texts are read, and both are said", async () => {
  const wide = [
    "refund,track,cancel",
    "money back please,where is it now,stop my order",
    "pay me back,still not here,",
  ];
  const found = await read("wide.csv", utf8(wide.join("\n")));
  assert.equal(pluck(found.texts, "label"), ["refund", "track", "cancel", "refund", "track"]);
  assert.is(found.columns, null);
  assert.ok(found.decisions.includes("Each column is a label, and its cells are the texts."));
  assert.not.match(found.decisions.join(" "), "Texts come from");
  const cells = 'utterances,intent\n"money back\npay me back",refund\nwhere is it,track\n';
  const several = await read("cells.csv", utf8(cells));
  assert.is(several.texts.length, 3);
  assert.ok(several.decisions.includes("1 cell has several texts; each is used."), several.decisions.join(" "));
});

test("a file of no known kind is refused with the kinds that are read", async () => {
  const error = await read("letter.txt", utf8("Dear team,\nwe write to you because of the order.\n")).catch(
    (thrown: unknown) => thrown,
  );
  assert.instance(error, SluiceError);
  assert.match((error as SluiceError).code, /FORMAT_UNKNOWN|DOCUMENT_INVALID/);
  assert.not.match((error as SluiceError).message, /because of the order/);
});

test("program code is named, and its words are not repeated", async () => {
  const code =
    'import { tool } from "ai";\nexport const tools = { refund: tool({ description: "pay back, at once" }) };\n';
  const error = await rejects(read("tools.ts", utf8(code)), "FORMAT_UNKNOWN");
  assert.match(error.message, "tools.ts: found program code, which is not read");
  assert.not.match(error.message, /at once/);
});
