import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { measuredExample, succeed } from "./support/small-workspace.js";
import { writeServableBundle } from "../support/servable-bundle.js";

const row = (id: string, text: string, workflow: string | null) => JSON.stringify({ id, text, workflow_id: workflow });

test("labelled requests of today are scored with a bundle, and each certified claim says whether it holds", () =>
  inTemporaryFolder(async (cwd) => {
    const bundle = join(cwd, "bundle");
    await writeServableBundle(bundle, "catalog-1");
    const rows = [row("a", "where is my order", null), row("b", "zebra", null)];
    await writeFile(join(cwd, "today.jsonl"), `${rows.join("\n")}\n`);
    interface Scored {
      readonly requests: number;
      readonly wrong_routes: readonly { readonly id: string; readonly routed_to: string }[];
      readonly claims: readonly { readonly verdict: string }[];
    }
    const data = await succeed<Scored>(cwd, "eval", "score", "today.jsonl", "--bundle-folder", bundle);
    assert.is(data.requests, 2);
    // The bundle routes a question about an order, which this label calls out of scope.
    assert.equal(
      data.wrong_routes.map((route) => [route.id, route.routed_to]),
      [["a", "orders.status"]],
    );
    assert.ok(data.claims.every(({ verdict }) => ["holds", "does_not_hold", "cannot_say_yet"].includes(verdict)));
  }));

test("requests that the bundle or a claim already saw are named as weaker evidence", () =>
  inTemporaryFolder(async (cwd) => {
    const { folder } = await measuredExample();
    await cp(join(folder, "shop"), cwd, { recursive: true });
    const bundle = join(cwd, "bundle");
    await writeServableBundle(bundle, "catalog-1");
    const [tested = ""] = (await readFile(join(cwd, "requests.jsonl"), "utf8")).split("\n");
    const { text } = JSON.parse(tested) as { readonly text: string };
    const rows = [row("a", "Where is my ORDER?", null), row("b", `${text}!`, null), row("c", "zebra", null)];
    await writeFile(join(cwd, "today.jsonl"), `${rows.join("\n")}\n`);
    const { stderr } = await sluice(["eval", "score", "today.jsonl", "--bundle-folder", bundle], { cwd });
    assert.match(stderr, "Of 3 requests, 1 have the text of a catalog example, and 1 more that of a request");
  }));

test("a label that the bundle lacks is refused by name, not by text", () =>
  inTemporaryFolder(async (cwd) => {
    const bundle = join(cwd, "bundle");
    await writeServableBundle(bundle, "catalog-1");
    await writeFile(join(cwd, "today.jsonl"), `${row("a", "a secret wish", "nobody.knows")}\n`);
    const { code, stderr } = await sluice(["eval", "score", "today.jsonl", "--bundle-folder", bundle], { cwd });
    assert.is(code, 2, stderr);
    assert.match(stderr, /DOCUMENT_INVALID.*nobody\.knows/);
    assert.not.match(stderr, /secret/);
  }));
