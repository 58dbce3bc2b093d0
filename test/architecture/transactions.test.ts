import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";

const folder = join(packageRoot, "store", "history");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** Files whose deferred transactions only read; one that reads and then writes fails at once next to another writer. */
const readers: ReadonlySet<string> = new Set(["open.ts", "verify.ts"]);

test("a transaction that writes begins as a writer: every one is immediate, or is known to read only", () => {
  const users = sources.filter(({ text }) => text.includes(".transaction("));
  assert.ok(users.length >= 3);
  for (const { name, text } of users) {
    const begun = text.match(/\.transaction\(/g)?.length ?? 0;
    const immediate = text.match(/\.immediate\(\)/g)?.length ?? 0;
    const deferred = text.match(/\.deferred\(\)/g)?.length ?? 0;
    assert.is(immediate + deferred, begun, `${name}: a transaction without .immediate() or .deferred()`);
    if (deferred > 0) assert.ok(readers.has(name), `${name}: a deferred transaction`);
  }
});

test("no transaction is begun by hand", () => {
  for (const { name, text } of sources) assert.not.match(text, /\bBEGIN (DEFERRED|TRANSACTION|;)|"BEGIN"/, name);
});
