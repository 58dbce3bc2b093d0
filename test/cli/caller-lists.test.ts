/** Claims about callers who may use certain workflows only. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { openWorkbench } from "../../stages/index.js";
import { latestEntry } from "../../store/history/read.js";
import { readDataset } from "../../store/records/read-records.js";
import { withHistory } from "../../store/records/session.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { fitSmallWorkspace, measuredProject, succeed } from "./support/small-workspace.js";

interface CatalogFile {
  readonly workflows: readonly { readonly workflow_id: string }[];
}

/** A policy of two rules: one for everything, one for every other workflow of a catalog. @returns the second list */
async function writeGrants(folder: string): Promise<readonly string[]> {
  const { workflows } = parse(await readFile(join(folder, "catalog.yaml"), "utf8")) as CatalogFile;
  const half = workflows.map(({ workflow_id: id }) => id).filter((_, at) => at % 2 === 0);
  const rule = (value: string, workflow_ids: unknown) => ({ claim: "x-auth-user", value, workflow_ids });
  const policy = { schema_version: 1, rules: [rule("ada", "all"), rule("ben", half)] };
  await writeFile(join(folder, "grants.yaml"), JSON.stringify(policy));
  return half;
}

test("with a grant policy, requests are scored with the lists of its callers, and the claim says so", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, { patterns: true, size: "tiny" });
    const half = await writeGrants(cwd);
    await succeed(
      cwd,
      "dataset",
      "import",
      "requests.jsonl",
      "--format",
      "jsonl",
      "--catalog",
      "catalog.yaml",
      "--grants",
      "grants.yaml",
    );
    const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace") });
    const { document: rows } = await withHistory(workbench, "read", async ({ history }) =>
      readDataset(history, latestEntry(history, "dataset")?.sha256 ?? ""),
    );
    const lists = rows.flatMap(({ allowed_workflow_ids: list }) => (list === undefined ? [] : [list]));
    assert.ok(Math.abs(lists.length / rows.length - 0.5) < 0.1, `${lists.length} of ${rows.length}`);
    assert.ok(lists.every((list) => JSON.stringify(list) === JSON.stringify(half)));
    await succeed(cwd, "dataset", "split");
    await succeed(cwd, "eval", "run");
    await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    const { stdout } = await sluice(["calibrate", "show"], { cwd });
    const shown = stdout.replaceAll(/\s+/g, " ");
    assert.match(shown, "fits no workflow and callers' lists are those of the tested requests");
    await succeed(cwd, "report", "eval", "--out", "page.md");
    const page = await readFile(join(cwd, "page.md"), "utf8");
    assert.match(page, /with lists like those of the tested requests, of which [\d,]+ had one/);
  }));

test("a project names its grant policy, and an edit of it repeats the import", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const imported = async () => (await sluice(["run", "-C", "shop", "--until", "import"], { cwd })).stdout;
    assert.match(await imported(), /^import +up to date/m);
    await writeGrants(join(cwd, "shop"));
    await appendFile(join(cwd, "shop", "sluice.yaml"), "grants: grants.yaml\n");
    assert.match(await imported(), /^import +done/m);
    await writeFile(join(cwd, "shop", "grants.yaml"), "schema_version: 1\nrules: []\n");
    const { code, stderr } = await sluice(["run", "-C", "shop", "--until", "import"], { cwd });
    assert.is(code, 2, stderr);
    assert.match(stderr, "grants.yaml");
  }));
