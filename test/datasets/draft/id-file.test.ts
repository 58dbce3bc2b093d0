import { idFileBytes, readIdFile } from "../../../datasets/draft/id-file.js";
import { csvLine, textOfCell } from "../../../datasets/csv-line.js";
import { workflowIdGrammar } from "../../../src/documents/primitives.js";
import { workflowIdsFor } from "../../../datasets/draft/workflow-ids.js";
import { assert, test, throws } from "../../support/test.js";

const read = (content: string) => readIdFile({ file: "ids.csv", bytes: Buffer.from(content) });

test("labels in every script get a distinct valid id, and the file round-trips", () => {
  const labels = [
    "CHECK_PINCODE",
    "Default Welcome Intent",
    "orders.find",
    "order-status",
    'a "quoted", label',
    " spaces ",
    "=cmd|' /C calc'!A0",
    "'=quoted",
    "-5 degrees",
    "退款",
    "注文",
    "Отменить заказ",
    "Straße ändern",
    "7",
  ];
  const ids = workflowIdsFor(labels);
  assert.is(new Set(ids.values()).size, labels.length);
  for (const id of ids.values()) assert.match(id, workflowIdGrammar);
  assert.equal([...read(idFileBytes(ids).toString())], [...ids]);
});

test("no cell begins a formula of a spreadsheet program, and numbers are written as they are", () => {
  for (const sign of ["=", "+", "-", "@", "\t", "\r"]) {
    assert.match(csvLine([`${sign}cmd`]), new RegExp(`^"?'\\${sign}cmd`));
    assert.is(textOfCell(`'${sign}cmd`), `${sign}cmd`);
  }
  assert.is(csvLine([-1.5, true, null, "plain"]), "-1.5,true,,plain");
});

test("a label that is a valid id keeps it, whatever comes before it", () => {
  const ids = workflowIdsFor(["Refund", "refund", "order-status"]);
  assert.equal(
    [...ids],
    [
      ["Refund", "refund_2"],
      ["refund", "refund"],
      ["order-status", "order-status"],
    ],
  );
});

test("a label without Latin letters has the same id in any order of labels", () => {
  const id = workflowIdsFor(["退款"]).get("退款");
  assert.is(workflowIdsFor(["注文", "退款"]).get("退款"), id);
  assert.match(id ?? "", /^workflow_[0-9a-f]{8}$/);
});

test("a line that no catalog takes is named", () => {
  const header = "label,workflow_id\n";
  assert.match(
    throws(() => read(`${header}A,Not An Id\n`), "DOCUMENT_INVALID").message,
    'ids.csv: line 2: found the id "Not An Id"',
  );
  assert.match(
    throws(() => read(`${header}A,abc\nA,abd\n`), "DOCUMENT_INVALID").message,
    'line 3: the label "A" occurs twice',
  );
});
