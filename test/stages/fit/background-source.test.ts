/** The background requests that Sluice ships, and files of requests that are none. */
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backgroundRequests, readBackground, readBackgroundFolder } from "../../../stages/fit/background-source.js";
import { assert, packageRoot, rejects, test, throws } from "../../support/test.js";

const shipped = join(packageRoot, "models", "default", "background");

test("the shipped background is 300 distinct requests without a workflow", async () => {
  const found = await backgroundRequests("shipped");
  assert.is(new Set(found?.rows.map(({ text }) => text)).size, 300);
  assert.is(await backgroundRequests("none"), undefined);
});

test("requests that differ from the card's digest are refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-background-"));
  try {
    await copyFile(join(shipped, "card.json"), join(folder, "card.json"));
    await writeFile(join(folder, "requests.jsonl"), (await readFile(join(shipped, "requests.jsonl"))).subarray(0, -1));
    const { message } = await rejects(readBackgroundFolder(folder), "HASH_MISMATCH");
    assert.match(message, /expected [0-9a-f]{64} as its card states/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a request with a workflow is no background", () => {
  const row = { id: "a", text: "where is my order", workflow_id: "orders.status" };
  const { message } = throws(() => readBackground(Buffer.from(JSON.stringify(row)), "mine.jsonl"), "DOCUMENT_INVALID");
  assert.match(message, /mine\.jsonl: row a has a workflow, expected workflow_id null/);
});
