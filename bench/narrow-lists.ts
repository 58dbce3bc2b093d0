/**
 * What a claim says for callers with narrower lists: the signed thresholds of the demonstration's claim about new
 * workflows on its EVAL requests, where each caller may use each workflow with probability 1/2, 1/5 or 1/20. "right kept":
 * the right workflow is always on the list; "independent": the list does not depend on the request. Each row is decided
 * twice: as served, and as if higher-ranked workflows that the caller may not use counted in the confidence.
 *
 *   node dist/bench/narrow-lists.js [--seed 1]
 */
import { statementOf } from "../src/documents/calibration.js";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clusterOf } from "../src/documents/dataset.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { type DecisionThresholds, decide } from "../src/router/policy/decide.js";
import { calibrateRun, openWorkbench, readStored, type LabelledRequest } from "../stages/index.js";
import { readRun, readScoredRecords } from "../store/records/read-records.js";
import { withHistory } from "../store/records/session.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../test/support/service-desk.js";
import { command, temporaryFolder } from "./commands/run-command.js";

const { values } = parseArgs({ options: { seed: { type: "string", default: "1" } } });
const catalogFile = resolve("datasets/service-desk/catalog.yaml");
const models = ["--retriever", resolve("models/default/retriever"), "--verifier", resolve("models/default/verifier")];

/** Scores rows in an empty workspace. */
async function score(rows: readonly LabelledRequest[], ...split: readonly string[]) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "rows.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  await command(folder, "dataset", "import", "rows.jsonl", "--format", "jsonl", "--catalog", catalogFile);
  await command(folder, "dataset", "split", ...split);
  await command(folder, "eval", "run", ...models);
  const workbench = await openWorkbench({ folder: join(folder, "sluice-workspace") });
  const records = await withHistory(workbench, "read", async ({ history }) =>
    readScoredRecords(history, readRun(history)),
  );
  return { workbench, records };
}

const asServed = (record: ScoredRecord, thresholds: DecisionThresholds) => decide(record, thresholds);

/** As if workflows that the caller may not use were rivals: features and margin count them, and none is routed. */
const rivalsCount = (record: ScoredRecord, thresholds: DecisionThresholds) =>
  decide(record, thresholds).reason_code === "BETTER_MATCH_NOT_ALLOWED"
    ? null
    : decide(
        { ...record, candidates: record.candidates.map((candidate) => ({ ...candidate, eligible: true })) },
        thresholds,
      );

function counts(records: readonly ScoredRecord[], thresholds: DecisionThresholds, rule: typeof rivalsCount): string {
  let [routed, wrong] = [0, 0];
  for (const record of records) {
    const decision = record.early_reason === null ? rule(record, thresholds) : null;
    if (decision?.decision !== "ROUTE") continue;
    routed += 1;
    if (decision.workflow_id !== record.workflow_id) wrong += 1;
  }
  return `${wrong} wrong of ${routed} (${((100 * wrong) / Math.max(1, routed)).toFixed(1)}%)`;
}

const requests = serviceDeskRequests();
const ids = (await serviceDeskCatalog()).workflows.map(({ workflow_id: id }) => id as string);
const all = await score(requests, "--shares", "0.25,0.45,0.15,0.15");
const { document: calibration } = await calibrateRun(all.workbench, { target: 0.1, onlyTarget: true });
const { document: split } = await readStored(all.workbench, { kind: "split" });
const held = new Set(split.folds.eval.clusters);
const tested = requests.filter((row) => held.has(clusterOf(row)));

function show(list: string, records: readonly ScoredRecord[]): void {
  const results = [asServed, rivalsCount].map((rule) => counts(records, calibration, rule));
  process.stdout.write(`${list}, ${records.length} requests: as served ${results[0]}; if rivals count ${results[1]}\n`);
}

process.stdout.write(`${calibration.claims.map(statementOf).join("\n")}\n`);
show(
  "every workflow allowed",
  all.records.filter(({ fold }) => fold === "eval"),
);
for (const [name, probability] of [
  ["a half", 1 / 2],
  ["a fifth", 1 / 5],
  ["a twentieth", 1 / 20],
] as const) {
  for (const keepsRight of [true, false]) {
    const random = seededRandom(Number(values.seed));
    const rows = tested.map((row) => ({
      ...row,
      allowed_workflow_ids: ids.filter(
        (id) => random.uniform() < probability || (keepsRight && id === row.workflow_id),
      ),
    }));
    const { records } = await score(rows, "--by", "request", "--shares", "0,0,0.1,0.9");
    show(`${name}, ${keepsRight ? "right kept" : "independent"}`, records);
  }
}
