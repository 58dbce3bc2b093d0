import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAuthorizer } from "../../serve/load-authorizer.js";
import { assert, rejects, testWith } from "../support/test.js";

const test = testWith<{ directory: string }>();

test.before.each((context) => {
  context.directory = mkdtempSync(join(tmpdir(), "sluice-authorizer-"));
});
test.after.each((context) => rmSync(context.directory, { recursive: true }));

test("the default export of a module is the authorizer", async ({ directory }) => {
  writeFileSync(join(directory, "auth.mjs"), `export default async () => ["card.block"];`);
  const authorizer = await loadAuthorizer("./auth.mjs", directory);
  assert.equal(await (authorizer as unknown as () => Promise<unknown>)(), ["card.block"]);
});

test("a missing, a broken and a silent module are refused", async ({ directory }) => {
  writeFileSync(join(directory, "broken.mjs"), "export default {");
  writeFileSync(join(directory, "silent.mjs"), "export const authorizer = () => [];");
  for (const file of ["missing.mjs", "broken.mjs", "silent.mjs"]) {
    const error = await rejects(loadAuthorizer(file, directory), "PRODUCTION_CONFIGURATION");
    assert.ok(error.message.includes(file));
  }
});
