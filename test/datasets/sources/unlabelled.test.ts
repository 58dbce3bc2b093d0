import { defaultChoices } from "../../../datasets/sources/choices.js";
import { readUnlabelled } from "../../../datasets/sources/unlabelled.js";
import { assert, test } from "../../support/test.js";

const textsOf = async (file: string, text: string): Promise<readonly string[]> =>
  (await readUnlabelled({ file, bytes: Buffer.from(text) }, defaultChoices)).texts.map((one) => one.text);

const requests = ["where is my parcel", "cancel it, please"];

test("a table with one column loses its quotes and its header; repeated requests stay", async () => {
  const quoted = '"where is my parcel"\r\n"cancel it, please"\r\n"where is my parcel"\r\n';
  assert.equal(await textsOf("log.csv", `text\r\n${quoted}`), [...requests, "where is my parcel"]);
  assert.equal(await textsOf("log.csv", `"user message"\n${quoted}`), [...requests, "where is my parcel"]);
});

test("a first line that is a request stays a request", async () => {
  assert.equal(await textsOf("log.csv", '"where is my parcel"\n"cancel it, please"\n'), requests);
  assert.equal(await textsOf("log.txt", "text\nwhere is my parcel\n"), ["text", "where is my parcel"]);
});

test("of a table with more columns, the texts are read", async () => {
  const rows = requests.map((text, index) => `${index + 1},"${text}",web`);
  assert.equal(await textsOf("log.csv", `id,message,channel\n${rows.join("\n")}\n`), requests);
});
