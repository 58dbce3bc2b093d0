/**
 * Measures the gain of examples: Schema-Guided Dialogue with 0, 1, 3 and 10 examples per workflow, ranked by the
 * shipped retriever. Examples and test requests are drawn from the requests of a workflow, distinct up to case and
 * punctuation; the same test requests are ranked at each step. There are three variants: one service per domain, so
 * that no two workflows are nearly identical; the same with only the names of the intents; and all services, restricted
 * to the allowed workflows. The figures are in docs/reference/catalog.md.
 *
 *   npm run build && node dist/bench/example-gain.js [--data FOLDER] [--seeds 1,2,3] [--json]   (minutes)
 */
import { describedRetriever } from "../src/router/retrieval/parse-retriever.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importSgd } from "./datasets/import-sgd.js";
import { normaliseText } from "../datasets/near-duplicates.js";
import { readDirectory } from "../src/trust/directory-hash.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import type { Workflow } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { InferencePool } from "../src/inference/pool.js";
import { MemoryEmbeddingCache } from "../src/router/retrieval/embedding-cache.js";
import { openRetriever } from "../src/router/retrieval/load-retriever.js";
import { groupBy } from "../src/base/group-by.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { packageRoot } from "../test/support/package-root.js";
import { shared } from "../test/support/shared.js";
import { type KnownText, rankTexts } from "../stages/catalog/lint-catalog.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data", "sgd") },
    seeds: { type: "string", default: "1,2,3" },
    json: { type: "boolean", default: false },
  },
});

const steps = [0, 1, 3, 10] as const;
const mostExamples = Math.max(...steps);
const testsPerWorkflow = 30;

const source = (file: string) => ({ file, bytes: readFileSync(join(values.data, file)) });
const imported = importSgd({ kind: "lines", requests: source("data.jsonl"), catalog: source("catalog.jsonl") });
const { workflows } = parseCatalog(Buffer.from(JSON.stringify(imported.catalog)), "catalog of SGD");
const byWorkflow = groupBy(imported.rows, ({ workflow_id: workflowId }) => workflowId);
const serviceOf = ({ workflow_id: workflowId }: Workflow): string => workflowId.split(".")[0] ?? "";

/** The service with the most requests of each domain. */
function oneServiceEach(): readonly Workflow[] {
  const services = groupBy(workflows, serviceOf);
  const requestsOf = (own: readonly Workflow[]): number =>
    own.reduce((sum, { workflow_id: workflowId }) => sum + (byWorkflow.get(workflowId)?.length ?? 0), 0);
  const domains = groupBy([...services], ([service]) => service.replace(/_\d+$/, ""));
  return [...domains.values()].flatMap((own) => {
    const [largest] = own.toSorted(([, a], [, b]) => requestsOf(b) - requestsOf(a));
    return largest?.[1] ?? [];
  });
}

/** A workflow as `init` drafts it for a label without a description. */
const namedOnly = (workflow: Workflow): Workflow => ({
  ...workflow,
  description: `Requests about ${workflow.name}.`,
  required_inputs: [],
  optional_inputs: [],
});

interface Drawn {
  readonly examples: ReadonlyMap<string, readonly string[]>;
  readonly tests: readonly KnownText[];
}

function draw(seed: number, own: readonly Workflow[], withAllowed: boolean): Drawn {
  const random = seededRandom(seed);
  const examples = new Map<string, readonly string[]>();
  const tests: KnownText[] = [];
  for (const { workflow_id: workflowId } of own) {
    const distinct = new Map<string, LabelledRequest>();
    for (const row of byWorkflow.get(workflowId) ?? []) {
      const key = normaliseText(row.text);
      if (!distinct.has(key)) distinct.set(key, row);
    }
    const rows = random.shuffle([...distinct.values()]);
    examples.set(
      workflowId,
      rows.slice(0, mostExamples).map(({ text }) => text),
    );
    for (const { text, allowed_workflow_ids: allowedWorkflowIds } of rows.slice(
      mostExamples,
      mostExamples + testsPerWorkflow,
    )) {
      const allowed = withAllowed ? { allowed: new Set(allowedWorkflowIds ?? []) } : {};
      tests.push({ text, workflowId, ...allowed });
    }
  }
  return { examples, tests };
}

const { files } = await readDirectory(join(packageRoot, "models", "default", "retriever"));
const pool = new InferencePool({ workers: 1, queueLimit: 64 });
const retriever = await openRetriever(describedRetriever(files), pool);
const vectors = new MemoryEmbeddingCache();
const cache = async () => vectors;
const signal = new AbortController().signal;
const readings = [
  { name: "one service of each domain", workflows: oneServiceEach(), withAllowed: false },
  { name: "the same, described by their names only", workflows: oneServiceEach().map(namedOnly), withAllowed: false },
  { name: "all services, among the allowed workflows", workflows, withAllowed: true },
] as const;
const rows: { reading: string; workflows: number; examples: number; first: number; texts: number }[] = [];
for (const reading of readings) {
  for (const count of steps) {
    let [first, texts] = [0, 0];
    for (const seed of values.seeds.split(",").map(Number)) {
      const { examples, tests } = draw(seed, reading.workflows, reading.withAllowed);
      const catalog = reading.workflows.map((workflow) => ({
        ...workflow,
        examples: (examples.get(workflow.workflow_id) ?? []).slice(0, count),
      }));
      const ranked = await rankTexts(catalog, tests, { retriever, cache, signal, onRanked: () => undefined });
      first += ranked.filter(({ place }) => place === 1).length;
      texts += ranked.length;
    }
    rows.push({ reading: reading.name, workflows: reading.workflows.length, examples: count, first, texts });
    process.stderr.write(`${reading.name}, ${count} examples: ${first} of ${texts}\n`);
  }
}
await pool.close();
if (values.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else {
  for (const { reading, examples, first, texts } of rows) {
    process.stdout.write(`${reading}  ${examples}  ${first} / ${texts}  ${((100 * first) / texts).toFixed(1)}%\n`);
  }
}
