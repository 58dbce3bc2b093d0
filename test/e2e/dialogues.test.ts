/** The walk of bench/dialogues.md over Schema-Guided Dialogue, on a sample of it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readDataset, readRun, readScoredRecords } from "../../store/records/read-records.js";
import { openHistory } from "../../store/history/open.js";
import { assert, inTemporaryFolder, shared, test, testWithShared } from "../support/test.js";
import { writeBenchmark } from "../../bench/datasets/write-benchmark.js";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";

const [walk = ""] = codeBlocks(docSection(docPage("../bench/dialogues.md"), "Dialogues, end to end"), "sh");
const removedServices = ["hotels_2", "media_2", "ridesharing_2", "services_2"];

interface Rate {
  readonly k: number;
  readonly n: number;
}
interface Shown {
  readonly detail: {
    readonly retrieval: { readonly depths: readonly { k: number; recall: Rate; eligible_recall: Rate }[] };
    readonly clarification: { readonly missing_input_recall: Rate };
    readonly slices: readonly { readonly dimension: string; readonly value: string; readonly requests: number }[];
  };
}

const serviceOf = (cluster: string): string => (cluster.split(":")[1] ?? "").split(".")[0] ?? "";

testWithShared(test, "the walk of the page keeps services apart and honours what each request allows", () =>
  inTemporaryFolder(async (cwd) => {
    await mkdir(join(cwd, "data"));
    await writeBenchmark("sgd", shared("data", "sgd"), join(cwd, "data"), { maxRowsPerWorkflow: 25 });
    const run = async (line: string): Promise<unknown> => {
      const [program, ...args] = line.split(" ");
      assert.is(program, "sluice");
      const { code, stdout, stderr } = await sluice([...args, "--json"], { cwd });
      assert.is(code, 0, `${line}: ${stderr}`);
      return (JSON.parse(stdout) as { readonly result: unknown }).result;
    };
    let shown: unknown;
    for (const line of walk.trim().split("\n")) shown = await run(line);

    const { detail } = shown as Shown;
    for (const { recall, eligible_recall: eligible } of detail.retrieval.depths) {
      assert.is(eligible.n, recall.n);
      assert.ok(eligible.k >= recall.k);
    }
    assert.ok(detail.clarification.missing_input_recall.n > 0);
    const populations = detail.slices.filter(({ dimension }) => dimension === "population").map(({ value }) => value);
    assert.equal(populations, ["unseen_workflow", "near_oos"]);

    const history = openHistory(join(cwd, "sluice-workspace", "history.db"), { readOnly: true });
    try {
      const records = readScoredRecords(history, readRun(history));
      const allowed = new Map(readDataset(history).document.map((row) => [row.id, row.allowed_workflow_ids]));
      const eligible = records.flatMap(({ id, candidates }) =>
        candidates.filter((candidate) => candidate.eligible).map(({ workflow_id: workflowId }) => ({ id, workflowId })),
      );
      assert.ok(eligible.length > 1000);
      assert.equal(
        eligible.filter(({ id, workflowId }) => allowed.get(id)?.includes(workflowId) !== true),
        [],
      );

      const foldsOf = new Map<string, Set<string>>();
      for (const { cluster, fold } of records) {
        const service = serviceOf(cluster);
        foldsOf.set(service, (foldsOf.get(service) ?? new Set()).add(fold));
      }
      assert.ok([...foldsOf.values()].every((folds) => folds.size === 1));
      const removed = records.filter(({ cluster }) => removedServices.includes(serviceOf(cluster)));
      assert.ok(removed.length > 100);
      assert.ok(
        removed.every(({ workflow_id: workflowId, population }) => workflowId === null && population === "near_oos"),
      );
    } finally {
      history.close();
    }
  }),
);

testWithShared(test, "with every repeat the split is refused, and says what to do", () =>
  inTemporaryFolder(async (cwd) => {
    await writeBenchmark("sgd", shared("data", "sgd"), cwd, { maxRowsPerWorkflow: 400 });
    const imported = await sluice(
      ["dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.json"],
      { cwd },
    );
    assert.is(imported.code, 0, imported.stderr);
    const { code, stderr } = await sluice(["dataset", "split", "--by", "service"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /SPLIT_TOO_SMALL[\s\S]*join \d+ of 59 workflows\. Split by a smaller unit/);
  }),
);
