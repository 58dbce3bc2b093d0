/** The sets of the panel, and the bench as its users run it on the smallest of them. */
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { assert, packageRoot, shared, test, testWithShared } from "../support/test.js";
import { intentProtocol, intentSources } from "../support/intent-sources.js";

testWithShared(
  test,
  "an intent project becomes a catalog, requests that are no example, and a fifth out of scope",
  () => {
    const sources = intentSources(shared("data"));
    assert.ok(sources.length >= 12, `${sources.length} sources`);
    for (const source of sources) {
      const [none, ten] = [intentProtocol(source, 0, 1), intentProtocol(source, 10, 1)];
      assert.equal(none.rows, ten.rows, source.name);
      assert.ok(none.catalog.workflows.every(({ examples }) => examples.length === 0));
      const examples = new Set(ten.catalog.workflows.flatMap((workflow) => workflow.examples));
      assert.ok(ten.rows.every(({ text }) => !examples.has(text)));
      const inCatalog = new Set<string | null>(ten.catalog.workflows.map(({ workflow_id: workflowId }) => workflowId));
      const outside = ten.rows.filter(({ workflow_id: workflowId }) => !inCatalog.has(workflowId));
      assert.ok(
        outside.length > 0 && outside.every(({ workflow_id: workflowId }) => ten.removed.has(workflowId ?? "")),
      );
    }
  },
);

test("the bench prints one line for each set and system", () => {
  const program = join(packageRoot, "dist", "bench", "panel.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "--only", "service-desk", "--checkpoint", "models/fast"],
    {
      cwd: packageRoot,
      encoding: "utf8",
    },
  );
  assert.is(status, 0, stderr);
  const rows = stdout.trim().split("\n").slice(2);
  assert.equal(
    rows.map((row) => row.split(" | ").slice(0, 2).join(" ")),
    [0, 10].flatMap((examples) =>
      ["BM25", "Lexical", "models/fast"].map((system) => `| Service desk TUNE, ${examples} examples ${system}`),
    ),
  );
});
