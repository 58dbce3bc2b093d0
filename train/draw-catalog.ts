import type { Workflow } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { SeededRandom } from "../src/base/numbers/seeded-random.js";

/** Workflows with labelled requests, from which catalogs are drawn. */
export interface LabelledCatalog {
  /** Workflows whose examples are indexed. Without examples, and for variety, requests become examples. */
  readonly workflows: readonly Workflow[];
  /** `workflowId` null: out of scope. */
  readonly requests: readonly LabelledRequest[];
  /**
   * Group by workflow id. Workflows of one group have the same meaning, and a drawn catalog contains only one of them.
   */
  readonly groups?: ReadonlyMap<string, string>;
}

export interface DrawnCatalog {
  readonly workflows: readonly Workflow[];
  /** Disjoint from the examples. Requests of left-out workflows have `workflowId` null. */
  readonly requests: readonly LabelledRequest[];
}

const mostWorkflows = 160;
/** Minimum and maximum share of the drawn workflows that stay in the catalog. */
const kept = { least: 0.65, most: 0.95 } as const;
const requestsPerWorkflow = 5;
/** Number of near out-of-scope requests (of left-out workflows) per in-scope request. */
const nearOutside = 0.15;
/** Number of far out-of-scope requests per in-scope request: half from other sources, half background texts. */
const farOutside = 0.15;

interface Drawable {
  readonly workflow: Workflow;
  readonly requests: readonly LabelledRequest[];
}

/** Numbers of examples of a workflow. */
export interface ExampleRange {
  readonly least: number;
  readonly most: number;
}

/**
 * Draws a catalog: some workflows, examples for each, and other requests to them. Half of the catalogs mix all sources,
 * half have only names in their contracts, half have fewer examples than the most. Requests of left-out workflows and
 * background texts are out of scope.
 */
export function drawCatalog(
  sources: readonly LabelledCatalog[],
  background: readonly string[],
  { least, most }: ExampleRange,
  random: SeededRandom,
): DrawnCatalog {
  const one = sources[random.integer(0, sources.length - 1)];
  const mixed = random.uniform() < 0.5 || one === undefined ? sources : [one];
  const drawable = random.shuffle(mixed.flatMap((source) => drawableOf(source, random))).slice(0, mostWorkflows);
  const share = kept.least + (kept.most - kept.least) * random.uniform();
  const count = Math.max(2, Math.round(share * drawable.length));
  const examples = random.uniform() < 0.5 ? most : random.integer(least, most);
  const thin = random.uniform() < 0.5;

  const inside = drawable.slice(0, count).map((each) => withExamples(each, { examples, thin }, random));
  const answered = inside.flatMap(({ requests }) => requests);
  const outside = drawable
    .slice(count)
    .flatMap(({ requests }) => random.shuffle(requests).slice(0, requestsPerWorkflow));
  const unlabelled = mixed.flatMap(({ requests }) =>
    requests.filter(({ workflow_id: workflowId }) => workflowId === null),
  );
  const near = random.shuffle([...outside, ...unlabelled]).slice(0, Math.round(nearOutside * answered.length));
  const foreign = sources.filter((source) => !mixed.includes(source)).flatMap(({ requests }) => requests);
  const pools = [foreign.map(({ text }) => text), background].filter((texts) => texts.length > 0);
  const far = Array.from({ length: pools.length === 0 ? 0 : Math.round(farOutside * answered.length) }, (_, i) => {
    const texts = pools[i % pools.length] ?? [];
    return { id: `far-${i}`, text: texts[random.integer(0, texts.length - 1)] ?? "", workflow_id: null };
  });
  const requests = [...answered, ...near.map((request) => ({ ...request, workflow_id: null })), ...far];
  return { workflows: inside.map(({ workflow }) => workflow), requests };
}

/** Workflows with enough requests, one per group. */
function drawableOf({ workflows, requests, groups }: LabelledCatalog, random: SeededRandom): readonly Drawable[] {
  const byWorkflow = new Map<string, LabelledRequest[]>();
  for (const request of requests) {
    if (request.workflow_id === null) continue;
    const own = byWorkflow.get(request.workflow_id) ?? [];
    own.push(request);
    byWorkflow.set(request.workflow_id, own);
  }
  const taken = new Set<string>();
  return random.shuffle(workflows).flatMap((workflow) => {
    const own = byWorkflow.get(workflow.workflow_id) ?? [];
    const group = groups?.get(workflow.workflow_id) ?? workflow.workflow_id;
    if (own.length === 0 || taken.has(group)) return [];
    taken.add(group);
    return [{ workflow, requests: own }];
  });
}

/** Draws examples from the workflow's own examples and its requests; the other requests remain requests. */
function withExamples(
  { workflow, requests }: Drawable,
  { examples, thin }: { readonly examples: number; readonly thin: boolean },
  random: SeededRandom,
): Drawable {
  const order = random.shuffle(requests);
  const asked = order.slice(0, requestsPerWorkflow);
  const texts = new Set([...workflow.examples, ...order.slice(requestsPerWorkflow).map(({ text }) => text)]);
  for (const { text } of asked) texts.delete(text);
  const chosen = random.shuffle([...texts]).slice(0, examples);
  const contract = thin ? { description: workflow.name, capabilities: [] } : {};
  return { workflow: { ...workflow, ...contract, examples: chosen }, requests: asked };
}
