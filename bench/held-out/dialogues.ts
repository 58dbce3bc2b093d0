import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importSgd } from "../datasets/import-sgd.js";
import { workflowIdOf } from "../datasets/sgd-request.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import { clusterOf, type LabelledRequest } from "../../src/documents/dataset.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { farRequests } from "./far-requests.js";
import { atMost, jsonLinesOf, type Protocol } from "./protocol.js";

const seed = 1;
const removedDomains = 4;
const examplesEach = 10;
const requestsEach = 100;

/** Schema-Guided Dialogue with one service per domain, so that no two workflows are nearly identical. */
export interface DialogueProtocol extends Protocol {
  /** Clusters of the workflows whose services are not in the training part. */
  readonly unseenServices: ReadonlySet<string>;
  /** Ten requests per workflow that are not among the rows and not from the dialogue of any row. */
  readonly examples: ReadonlyMap<string, readonly string[]>;
}

interface Named {
  readonly workflow_id: string;
  readonly name: string;
  readonly description: string;
}

/**
 * One service per domain: one that is not in the training part if possible, otherwise the first. Four domains of the
 * training part are drawn and removed from the catalog; their requests are near out of scope. At most 100 distinct
 * requests per workflow. The catalog has only names and descriptions; `withExamples` adds examples.
 */
export function dialogueProtocol(dataFolder: string): DialogueProtocol {
  const source = (name: string) => {
    const file = join(dataFolder, "sgd", name);
    return { file, bytes: readFileSync(file) };
  };
  const imported = importSgd({ kind: "lines", requests: source("data.jsonl"), catalog: source("catalog.jsonl") });
  const whole = parseCatalog(canonicalBytes(imported.catalog), "catalog of sgd");
  const random = seededRandom(seed);
  const trained = new Set(
    imported.rows.filter(({ slices }) => slices?.["part"] === "train").map(({ slices }) => slices?.["service"]),
  );
  const chosen = chosenServices(whole.workflows, trained);
  const seen = [...chosen].filter(([, service]) => trained.has(service)).map(([domain]) => domain);
  const leaving = new Set(random.shuffle(seen).slice(0, removedDomains));
  const services = new Set(chosen.values());
  const kept = whole.workflows.filter((workflow) => services.has(metadataOf(workflow, "service")));
  const removed = kept.filter((workflow) => leaving.has(metadataOf(workflow, "domain")));
  const workflows = kept.filter((workflow) => !removed.includes(workflow));
  const ids = new Set(kept.map(({ workflow_id: workflowId }) => workflowId));
  const { examples, asked } = draw(
    random.shuffle(imported.rows.filter(({ workflow_id: workflowId }) => workflowId !== null && ids.has(workflowId))),
  );
  return {
    catalog: { ...whole, workflows },
    rows: [...asked, ...farRequests(dataFolder)],
    removed: new Set(removed.map(({ workflow_id: workflowId }) => workflowId)),
    unseenServices: new Set(
      workflows
        .filter((workflow) => !trained.has(metadataOf(workflow, "service")))
        .map(({ workflow_id: workflowId }) => clusterOf({ id: "", workflow_id: workflowId })),
    ),
    examples,
  };
}

/** The catalog with the ten requests per workflow as examples. */
export function withExamples({ catalog, examples }: DialogueProtocol): Catalog {
  const workflows = catalog.workflows.map((workflow) => {
    return { ...workflow, examples: examples.get(workflow.workflow_id) ?? [] };
  });
  return { ...catalog, workflows };
}

/** The catalog with the names and descriptions of a paraphrased catalog. @param file  e.g. `catalog_sgdx_v1.jsonl` */
export function paraphrased(catalog: Catalog, dataFolder: string, file: string): Catalog {
  const lines = jsonLinesOf<Named>(join(dataFolder, "sgd", file));
  const byId = new Map(lines.map((line) => [workflowIdOf(line.workflow_id), line]));
  const workflows = catalog.workflows.map((workflow) => {
    const other = byId.get(workflow.workflow_id);
    return other === undefined ? workflow : { ...workflow, name: other.name, description: `${other.description}.` };
  });
  return { ...catalog, workflows };
}

const metadataOf = ({ metadata }: Workflow, key: string): string => String(metadata[key]);

/** The chosen service of each domain, in catalog order. */
function chosenServices(
  workflows: readonly Workflow[],
  trained: ReadonlySet<string | undefined>,
): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const workflow of workflows) {
    const [domain, service] = [metadataOf(workflow, "domain"), metadataOf(workflow, "service")];
    const before = chosen.get(domain);
    if (before === undefined || (trained.has(before) && !trained.has(service))) chosen.set(domain, service);
  }
  return chosen;
}

/**
 * Draws rows and removes their allow lists, because they are routed over the whole catalog. @param shuffled  rows in
 * random order
 */
function draw(shuffled: readonly LabelledRequest[]) {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, " ");
  const dialogueOf = ({ id }: LabelledRequest): string => id.replace(/-\d+$/, "");
  const texts = new Set<string>();
  const distinct = shuffled.filter(({ text }) => !texts.has(plain(text)) && texts.add(plain(text)));
  const workflowOf = ({ workflow_id: workflowId }: LabelledRequest): string => workflowId ?? "";
  const examples = new Map<string, string[]>();
  const first = atMost(distinct, examplesEach, workflowOf);
  for (const row of first) examples.set(workflowOf(row), [...(examples.get(workflowOf(row)) ?? []), row.text]);
  const dialogues = new Set(first.map(dialogueOf));
  const others = distinct.filter((row) => !dialogues.has(dialogueOf(row)));
  const asked = atMost(others, requestsEach, workflowOf).map((row) => ({ ...row, allowed_workflow_ids: null }));
  return { examples, asked };
}
