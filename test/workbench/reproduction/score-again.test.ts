/** Records scored again are those that the run stores, whichever version of the populations it has. */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { populationByOwnFold } from "../../../eval/population-of.js";
import { scoredTableBytes } from "../../../eval/scored-table.js";
import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import type { RunWire, ScoredRecord } from "../../../src/domain/scored-record.js";
import { buildReport } from "../../../workbench/reporting/build-report.js";
import { openWorkbench, runEvaluation, splitDataset } from "../../../workbench/index.js";
import { readRun, readScoredRecords } from "../../../workbench/records/read-records.js";
import { keepRecord } from "../../../workbench/records/stage.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { scoreAgain } from "../../../workbench/reproduction/score-again.js";
import { fitSmallWorkspace } from "../../cli/support/small-workspace.js";
import { inTemporaryFolder } from "../../support/builders-artifacts.js";

const test = suite("workbench/reproduction/score-again");

const populationsIn = (records: readonly ScoredRecord[]): readonly string[] =>
  [...new Set(records.filter(({ workflowId }) => workflowId !== null).map(({ population }) => population))].sort();

test("a run by request has seen workflows only, and a run of version 1 keeps the populations that it stored", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace") });
    await splitDataset(workbench, { by: "request" });
    await runEvaluation(workbench);
    await withHistory(workbench, "write", async (stage) => {
      const run = readRun(stage.history);
      assert.is(run.document.schemaVersion, 2);
      const records = readScoredRecords(stage.history, run);
      assert.equal(populationsIn(records), ["seen"]);

      const earlier = records.map((record) => ({ ...record, population: populationByOwnFold(record) }));
      assert.equal(populationsIn(earlier), ["seen", "unseen_workflow"]);
      const table = scoredTableBytes(earlier);
      const wire = JSON.parse(run.bytes.toString("utf8")) as RunWire;
      const bytes = canonicalBytes({ ...wire, schema_version: 1, records_sha256: sha256Hex(table) });
      const { sha256: earlierId } = keepRecord(stage, "run", bytes, [table]);

      const again = await scoreAgain(stage, readRun(stage.history, earlierId), { workers: 1, background: undefined });
      assert.equal(again, { records: earlier, background: undefined });
      const labels = async (runId: string): Promise<readonly unknown[]> =>
        (await buildReport(stage.history, { runId })).model.populations.rows.map(([label]) => label);
      assert.ok((await labels(earlierId)).includes("In scope, request not in FIT"));
      assert.ok((await labels(run.sha256)).includes("In scope, workflow in FIT"));
    });
  }));

test.run();
