/**
 * BANKING77 with ten examples of each of the 77 intents: top-1 and recall at 5 over the 3,080 test texts, mean and sample
 * standard deviation over five draws of the examples. The draws are this script's own (seeds 1 to 5), not the published
 * ones. A fair figure needs a retriever that was fitted without BANKING77.
 *
 *   node dist/bench/banking77-ten-example.js --retriever DIR [--data FOLDER]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readDirectory } from "../src/artifacts/directory-hash.js";
import { InferencePool } from "../src/inference/pool.js";
import { loadRetriever } from "../src/retrieval/load-retriever.js";
import { countRecall } from "../workbench/fit/words/held-out-recall.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { aWorkflow } from "../test/support/builders.js";
import { shared } from "../test/support/shared.js";

interface Row {
  readonly text: string;
  readonly workflow_id: string;
  readonly split: "train" | "test";
}

const { values } = parseArgs({
  options: { retriever: { type: "string" }, data: { type: "string", default: shared("data") } },
});
if (values.retriever === undefined) throw new Error("give --retriever DIR");

const rows = readFileSync(join(values.data, "banking77", "data.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const labels = [...new Set(rows.map((row) => row.workflow_id))].sort();
const { files } = await readDirectory(values.retriever);
const pool = new InferencePool({ workers: 1, queueLimit: 64 });

const results = [];
for (const seed of [1, 2, 3, 4, 5]) {
  const random = seededRandom(seed);
  const workflows = labels.map((label) => {
    const own = rows.filter((row) => row.split === "train" && row.workflow_id === label);
    const name = label.replaceAll("_", " ");
    const examples = random
      .shuffle(own)
      .slice(0, 10)
      .map(({ text }) => text);
    return aWorkflow({ workflowId: label, name, description: `Workflow for ${name}.`, capabilities: [], examples });
  });
  const retriever = await loadRetriever(files, workflows, pool);
  const queries = rows
    .filter(({ split }) => split === "test")
    .map(({ text, workflow_id }) => ({ text, label: labels.indexOf(workflow_id) }));
  const { requests, at1, at5 } = await countRecall(retriever, queries);
  results.push({ top1: at1 / requests, recallAt5: at5 / requests });
  process.stderr.write(`seed ${seed}: top-1 ${at1}/${requests}, recall at 5 ${at5}/${requests}\n`);
}
await pool.close();

for (const name of ["top1", "recallAt5"] as const) {
  const shares = results.map((result) => 100 * result[name]);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const spread = Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / (shares.length - 1));
  process.stdout.write(`${name}  ${mean.toFixed(2)} ± ${spread.toFixed(2)} %\n`);
}
