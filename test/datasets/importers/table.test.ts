import { importTable, type TableOptions } from "../../../datasets/importers/table.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { assert, rejects, test } from "../../support/test.js";
import { parquetFile } from "../../support/parquet.js";

const read = (content: string | Buffer, options: TableOptions = {}) =>
  importTable({ file: "table", bytes: Buffer.from(content) }, options);

test("standard column names need no mapping; lists and objects may be JSON or separated names", async () => {
  const content = [
    "id,text,workflow_id,group_id,allowed_workflow_ids,missing_inputs,context,event_type",
    'a,"find it, please",orders.find,g1,orders.find|orders.cancel,order_id,"{""order"":1}",order.late',
    'b,hi,orders.cancel,,"[""orders.cancel""]",,,',
  ].join("\r\n");
  const { rows, catalog, sources, badRows } = await read(content);
  assert.equal(rows, [
    {
      id: "a",
      text: "find it, please",
      workflow_id: "orders.find",
      group_id: "g1",
      event_type: "order.late",
      allowed_workflow_ids: ["orders.find", "orders.cancel"],
      missing_inputs: ["order_id"],
      context: { order: 1 },
    },
    { id: "b", text: "hi", workflow_id: "orders.cancel", group_id: null, allowed_workflow_ids: ["orders.cancel"] },
  ]);
  assert.is(catalog, null);
  assert.equal(sources, [{ file: "table", sha256: sha256Hex(content), licence: null }]);
  assert.equal(badRows, []);
});

test("other columns are mapped, labels become workflow ids, and rows without an id are named by their place", async () => {
  const { rows } = await read("body;topic;lang\nfind it;Find Order;en\nhallo;none;de\n;x;\n", {
    mapping: {
      columns: { text: "body", workflow: "topic" },
      outOfScopeValues: ["none"],
      sliceColumns: ["lang"],
    },
    maxBadRows: 1,
  });
  assert.equal(rows, [
    { id: "line-2", text: "find it", workflow_id: "find_order", group_id: null, slices: { lang: "en" } },
    { id: "line-3", text: "hallo", workflow_id: null, group_id: null, slices: { lang: "de" } },
  ]);
});

test("every bad row is named by line and column with the kind that was found, never with its text", async () => {
  const content =
    "id,text,workflow_id\na,secret words,\nb, ,orders.find\nb2,secret\na,secret,orders.find\na,x,orders.find\n";
  const { message } = await rejects(read(content), "DOCUMENT_INVALID");
  assert.is(
    message,
    "table: line 4: found 2 cells, expected 3; " +
      "line 2 column workflow_id: found an empty text, expected a workflow, or a value of --out-of-scope-value; " +
      "line 3 column text: found a text of white space only, expected a text of 1 to 8,000 characters; " +
      "line 6 column id: the same id as line 5",
  );
});

test("allowed bad rows are left out and listed, and one more is refused", async () => {
  const content = "text,workflow_id\n,a.b\nfine,a.b\n,a.b\n";
  const { rows, badRows } = await read(content, { maxBadRows: 2 });
  assert.equal(
    rows.map((row) => row.text),
    ["fine"],
  );
  assert.equal(
    badRows.map(({ at, column }) => [at, column]),
    [
      ["line 2", "text"],
      ["line 4", "text"],
    ],
  );
  assert.match(
    (await rejects(read(content, { maxBadRows: 1 }), "DOCUMENT_INVALID")).message,
    "2 invalid rows, at most 1",
  );
});

test("an empty label is out of scope only when the caller says so", async () => {
  const { rows } = await read("text,workflow_id\nhi,\n", { mapping: { outOfScopeValues: [""] } });
  assert.is(rows[0]?.workflow_id, null);
});

test("a missing column is named together with the columns that exist", async () => {
  const { message } = await rejects(read("body,label\nx,y\n"), "DOCUMENT_INVALID");
  assert.is(message, 'table: there is no column "text"; found body, label');
  const mapping = { columns: { text: "body", workflow: "label" }, sliceColumns: ["lang"] };
  assert.match((await rejects(read("body,label\nx,y\n", { mapping }), "DOCUMENT_INVALID")).message, '"lang"');
});

test("JSONL of other fields is read by the same mapping; null is out of scope", async () => {
  const lines = ['{"q":"find it","y":"find","n":7,"ok":["find"]}', '{"q":"hi","y":null,"n":8}', '{"q":3,"y":"find"}'];
  const mapping = { columns: { text: "q", workflow: "y", id: "n", allowed: "ok" } };
  const { rows, badRows } = await read(lines.join("\n"), { mapping, maxBadRows: 1 });
  assert.equal(rows, [
    { id: "7", text: "find it", workflow_id: "find", group_id: null, allowed_workflow_ids: ["find"] },
    { id: "8", text: "hi", workflow_id: null, group_id: null },
  ]);
  assert.equal(
    badRows.map(({ at, column, rule }) => `${at} ${column}: ${rule}`),
    [
      "line 3 id: found nothing, expected a name",
      "line 3 q: found a number, expected a text of 1 to 8,000 characters",
    ].map((line) => line.replace("line 3 id", "line 3 n")),
  );
});

for (const [name, codec] of [
  ["uncompressed", 0],
  ["GZIP", 2],
  ["Zstandard", 6],
] as const) {
  test(`Parquet is read: ${name}`, async () => {
    const file = parquetFile(
      { id: [9_007_199_254_740_993n, 2n], text: ["find it", "hí"], workflow_id: ["find", null] },
      codec,
    );
    const { rows } = await read(file);
    assert.equal(rows, [
      { id: "9007199254740993", text: "find it", workflow_id: "find", group_id: null },
      { id: "2", text: "hí", workflow_id: null, group_id: null },
    ]);
  });
}

test("bad rows of Parquet are named by row, and a file that cannot be read by its cause", async () => {
  const file = parquetFile({ text: ["fine", null], workflow_id: ["find", "find"] });
  const { message } = await rejects(read(file), "DOCUMENT_INVALID");
  assert.is(message, "table: row 2 column text: found null, expected a text of 1 to 8,000 characters");
  const lzo = parquetFile({ text: ["fine"], workflow_id: ["find"] }, 3);
  assert.match((await rejects(read(lzo), "DOCUMENT_INVALID")).message, "LZO");
  assert.match((await rejects(read("PAR1"), "DOCUMENT_INVALID")).message, "Parquet");
});

test("a drafted catalog holds examples of the texts, and no row repeats one", async () => {
  const content = `text,workflow_id\n${["a", "b", "c", "d", "e"].map((word) => `${word} order,find order`).join("\n")}\nhi,none\n`;
  const { rows, catalog } = await read(content, {
    draftCatalog: true,
    examplesPerWorkflow: 2,
    mapping: { outOfScopeValues: ["none"] },
  });
  assert.equal(
    catalog?.workflows.map((workflow) => [workflow.workflow_id, workflow.examples?.length]),
    [["find_order", 2]],
  );
  assert.is(rows.length, 4);
  assert.not.ok(rows.some((row) => catalog?.workflows[0]?.examples?.includes(row.text)));
});

test("CSV without a header, with a column twice or without rows is refused", async () => {
  assert.match((await rejects(read(""), "DOCUMENT_INVALID")).message, "the file is empty");
  assert.match((await rejects(read("text,text\n"), "DOCUMENT_INVALID")).message, 'the column "text" twice');
  await rejects(read("text,workflow_id\n"), "DOCUMENT_INVALID");
});
