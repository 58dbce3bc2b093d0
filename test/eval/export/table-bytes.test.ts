import { fromArrow, fromCSV } from "arquero";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";
import { BadRows } from "../../../datasets/bad-rows.js";
import { readTable } from "../../../datasets/sources/tables/read-table.js";
import { type ExportTable, candidateTable, requestTable, tableFormats } from "../../../eval/export/request-table.js";
import { decideRequests } from "../../../eval/requests/decided-request.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCandidate, aRanked, aRecord } from "../../support/score-cases.js";

const awkward = 'a "quoted", text\nwith a second line; ünïcode 🙂 =1+1';
const requests = decideRequests(
  [
    aRanked("one", 0.912345678901234, true),
    aRanked("two", 0.2, false),
    aRecord({
      id: "three",
      workflow_id: null,
      slices: { channel: "mail" },
      candidates: [
        aCandidate({
          missing_inputs: ["order", "name"],
          features: { names: ["lead", "share"], values: [0.25, 0.5] },
        }),
        aCandidate({ workflow_id: "orders.cancel", probability: 0.3, eligible: false }),
      ],
    }),
    aRecord({ id: "four", error_code: "MODEL_RUN_FAILED", candidates: [] }),
  ],
  { thresholds: aCalibration(), topK: 5, fold: "all" },
);
const texts = new Map([
  ["one", awkward],
  ["two", "plain"],
]);
const tables: readonly (readonly [string, ExportTable])[] = [
  ["requests", requestTable(requests, texts)],
  ["candidates", candidateTable(requests, null)],
  ["no rows", requestTable([], null)],
];

/** Rows as another reader must return them. */
function rowsOf(table: ExportTable): readonly Readonly<Record<string, string | number | boolean | null>>[] {
  const count = table[0]?.values.length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(table.map(({ name, values }) => [name, values[row] ?? null])),
  );
}

for (const [name, table] of tables) {
  test(`a Parquet file of ${name} is read back by hyparquet as it was written`, async () => {
    const bytes = tableFormats[".parquet"](table);
    const file = Uint8Array.from(bytes).buffer;
    const rows = await parquetReadObjects({ file });
    assert.equal(
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, (value as unknown) ?? null])),
      ),
      rowsOf(table),
    );
  });

  test(`an Arrow file of ${name} is read back by arquero as it was written`, () => {
    const read = fromArrow(Uint8Array.from(tableFormats[".arrow"](table)).buffer);
    assert.equal(
      read.columnNames(),
      table.map((column) => column.name),
    );
    assert.equal(read.objects(), rowsOf(table));
  });

  test(`a CSV file of ${name} is read back by csv-parse, cell by cell`, () => {
    const rows: Record<string, string>[] = parse(Buffer.from(tableFormats[".csv"](table)), { columns: true });
    assert.equal(
      rows,
      rowsOf(table).map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value === null ? "" : String(value)])),
      ),
    );
  });
}

test("a number in CSV preserves every digit", () => {
  const [, candidates] = tables[1] ?? [];
  const csv = Buffer.from(tableFormats[".csv"](candidates ?? [])).toString("utf8");
  const exact = candidates?.find(({ name }) => name === "match_logit")?.values[0];
  assert.is(fromCSV(csv).get("match_logit", 0), exact);
});

test("texts that begin a formula are exported as texts, and the importer reads them as they were", async () => {
  const formulas = ["=HYPERLINK(1)", "+1", "-2+3", "@SUM(A1)", "\t=1", "'=quoted", "it's - plain"];
  const ids = formulas.map((_, index) => `r${index}`);
  const decided = decideRequests(
    ids.map((id) => aRanked(id, 0.9, true)),
    { thresholds: aCalibration(), topK: 5, fold: "all" },
  );
  const written = new Map(ids.map((id, index) => [id, formulas[index] ?? ""]));
  const bytes = Buffer.from(tableFormats[".csv"](requestTable(decided, written)));
  const cells: Record<string, string>[] = parse(bytes, { columns: true });
  for (const cell of cells) assert.not.match(cell["text"] ?? "", /^[=+\-@\t\r]/);
  const { rows } = await readTable({ file: "export.csv", bytes }, new BadRows());
  assert.equal(
    rows.map((row) => row.cells.get("text")),
    formulas,
  );
});

test("columns hold slices and features by name, texts only when they were asked for", () => {
  const names = requestTable(requests, null).map(({ name }) => name);
  assert.ok(
    ["slice_channel", "feature_lead", "feature_share", "bucket", "stage"].every((name) => names.includes(name)),
  );
  assert.not.ok(names.includes("text"));
  const written = Buffer.from(tableFormats[".csv"](requestTable(requests, null))).toString("utf8");
  assert.not.match(written, /ünïcode|plain/);
  assert.is(requestTable(requests, texts).at(-1)?.name, "text");
});

test("a table of candidates has a row for each, in decision order, and says which is right", () => {
  const rows = rowsOf(candidateTable(requests, null));
  assert.equal(
    rows.map(({ id, place, candidate_workflow_id: workflow, is_right: right }) => [id, place, workflow, right]),
    [
      ["one", 1, "orders.find", true],
      ["two", 1, "orders.cancel", false],
      ["three", 1, "orders.find", false],
      ["three", 2, "orders.cancel", false],
    ],
  );
});
