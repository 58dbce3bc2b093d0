import { join } from "node:path";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { foldOfRow } from "../../src/documents/split.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { saveDataset } from "../../stages/import/save-dataset.js";
import { scoreRun } from "../../stages/score/score-run.js";
import { suggestChanges } from "../../stages/suggest.js";
import { readDataset, readRun, readSplit } from "../../store/records/read-records.js";
import { saveRecord, withHistory } from "../../store/records/session.js";
import { workbenchIn } from "../../stages/open-workbench.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { projectWithFit } from "../cli/support/project-with-fit.js";

const contextOf = (folder: string) =>
  workbenchIn({ folder: join(folder, "shop", "sluice-workspace"), actor: "tester", clock: () => Date.UTC(2026, 0, 2) });
const options = { limit: 3, requests: 40, labels: 10, workers: 1 };

test("wrong labels in CERTIFY and EVAL change neither the suggestions nor their gains", () =>
  inTemporaryFolder(async (cwd) => {
    await projectWithFit(cwd);
    await withHistory(contextOf(cwd), "write", async (session) => {
      const { history } = session;
      const run = readRun(history);
      const honest = await suggestChanges(contextOf(cwd), options);

      const split = readSplit(history, run.document.split_sha256);
      const folds = foldOf(split.document);
      const rows = readDataset(history, run.document.dataset_sha256).document;
      const labels = [...new Set(rows.map(({ workflow_id: workflowId }) => workflowId))];
      const poisoned = rows.map((row) => {
        const fold = foldOfRow(row, folds);
        if (fold === "fit" || fold === "tune") return row;
        return { ...row, workflow_id: labels[(labels.indexOf(row.workflow_id) + 1) % labels.length] ?? null };
      });
      const dataset = saveDataset(session, poisoned, { format: "jsonl" });
      const document = { ...split.document, dataset_sha256: dataset.sha256 };
      const { sha256: splitId } = saveRecord(session, "split", canonicalBytes(document));
      const { runId } = await scoreRun(session, {
        splitId,
        retriever: { kind: "id", id: run.document.retriever_sha256 },
        verifier: { kind: "id", id: run.document.verifier_sha256 },
        workers: 1,
        maxErrorShare: 0,
      });
      assert.is.not(runId, run.sha256);
      const misled = await suggestChanges(contextOf(cwd), { ...options, run: runId });
      assert.is(honest.suggestions.length, 3);
      assert.ok(honest.measuredOn > 10);
      const [a, b] = [honest, misled].map(({ suggestions, together, chosenFrom, measuredOn }) => {
        return { suggestions, together, chosenFrom, measuredOn };
      });
      assert.equal(a, b);
    });
  }));
