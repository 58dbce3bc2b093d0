import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { succeed } from "../cli/support/small-workspace.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { generatedCsv } from "../support/generated-requests.js";

/** A project with 15,000 requests. It takes minutes. */
const test = suite("e2e/project-sizes-large");

test("30 intents with 500 rows each are read, promised about and routed", () =>
  inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "tickets.csv"), generatedCsv({ intents: 30, rows: 500, seed: 7 }));
    await succeed(cwd, "init", "tickets.csv", "--into", "p", "--yes");
    const run = await succeed<{ readonly claims: readonly string[] }>(cwd, "run", "-C", "p");
    assert.match(run.claims[0] ?? "", /^When Sluice routes/);
    const text = "hi, i need to track my invoice today";
    const { response } = await succeed<{ readonly response: { readonly workflow_id: string | null } }>(
      cwd,
      "route",
      "-C",
      "p",
      "--text",
      text,
    );
    assert.is(response.workflow_id, "track_invoice");
  }));

test.run();
