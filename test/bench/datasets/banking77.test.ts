import { readFileSync } from "node:fs";
import { importBanking77 } from "../../../bench/datasets/banking77.js";
import { assert, rejects, shared, test, testWithShared } from "../../support/test.js";

const csv = (file: string, content: string) => ({ file, bytes: Buffer.from(content) });
const heldOut = csv("test.csv", "text,category\nWhen will it come?,Card_arrival\n");

test("reads quoted texts and makes workflow ids of the categories", async () => {
  const source = csv(
    "train.csv",
    'text,category\r\n"Hello, is it\nhere?",Card_arrival\r\n"My ""card"" gone?",lost card?\r\n',
  );
  const { rows, catalog } = await importBanking77({ train: source, test: heldOut }, { examplesPerWorkflow: 0 });
  assert.equal(
    rows.map((row) => [row.id, row.text, row.workflow_id, row.slices?.["part"]]),
    [
      ["banking77-train-0", "Hello, is it\nhere?", "card_arrival", "train"],
      ["banking77-train-1", 'My "card" gone?', "lost_card", "train"],
      ["banking77-test-0", "When will it come?", "card_arrival", "test"],
    ],
  );
  assert.equal(
    catalog?.workflows.map((w) => w.description),
    ["Workflow for Card arrival.", "Workflow for lost card?."],
  );
});

test("names line and column of a malformed cell", async () => {
  const read = (content: string) => importBanking77({ train: csv("train.csv", content), test: heldOut });
  assert.match((await rejects(read("a,b\nx,y\n"), "DOCUMENT_INVALID")).message, /expected the columns/);
  assert.match((await rejects(read("text,category\nx,y\n ,y\n"), "DOCUMENT_INVALID")).message, /line 3 column text/);
  assert.match((await rejects(read("text,category\nx,\n"), "DOCUMENT_INVALID")).message, /line 2 column category/);
  assert.match((await rejects(read("text,category\nx,y,z\n"), "DOCUMENT_INVALID")).message, /line 2/);
  await rejects(read("text,category\n"), "DOCUMENT_INVALID");
});

test("two categories that would share a workflow id are distinguished by a number", async () => {
  const both = csv("train.csv", "text,category\nx,card_lost\ny,Card lost?\n");
  const { workflowIds } = await importBanking77({ train: both, test: heldOut });
  assert.equal([workflowIds?.get("card_lost"), workflowIds?.get("Card lost?")], ["card_lost", "card_lost_2"]);
});

testWithShared(test, "imports the published files: 77 workflows, 13,083 rows", async () => {
  const part = (name: string) => {
    const file = shared("data", "banking77", "raw", name);
    return { file, bytes: readFileSync(file) };
  };
  const files = { train: part("train.csv"), test: part("test.csv") };
  const all = await importBanking77(files, { examplesPerWorkflow: 0 });
  assert.equal(
    ["train", "test"].map((name) => all.rows.filter((row) => row.slices?.["part"] === name).length),
    [10_003, 3080],
  );
  assert.is(all.catalog?.workflows.length, 77);
  assert.equal(
    all.sources.map((source) => [source.sha256.slice(0, 8), source.licence]),
    [
      ["b06e26ac", "CC BY 4.0"],
      ["d12d6e3b", "CC BY 4.0"],
    ],
  );
});
