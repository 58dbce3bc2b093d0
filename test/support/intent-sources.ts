import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "../../datasets/read-jsonl.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { wordsOf } from "../../src/router/retrieval/words.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { aWorkflow } from "./builders.js";

const mostWorkflows = 150;
const mostAsked = 20;
/** A group with fewer texts cannot give examples and requests. */
const fewestTexts = 4;
/** Sources with fewer groups of that size say nothing about ranking. */
const fewestGroups = 7;
/** Share of the groups that leave the catalog: their requests are near out of scope. */
const leaving = 0.2;

interface Group {
  readonly name: string;
  readonly texts: readonly string[];
}

/** A catalog, the requests that are asked over all of it, and the workflows that left it. */
interface IntentProtocol {
  readonly catalog: Catalog;
  readonly rows: readonly LabelledRequest[];
  readonly removed: ReadonlySet<string>;
}

/** Requests of one public project by intent: `DATA/corpus/pairs/intent.NAME.tsv.gz`. */
export interface IntentSource {
  readonly name: string;
  readonly groups: readonly Group[];
}

/** Every project with at least seven intents of four texts; a text of two intents is left out. */
export function intentSources(dataFolder: string): readonly IntentSource[] {
  const folder = join(dataFolder, "corpus", "pairs");
  const files = readdirSync(folder).filter((name) => name.startsWith("intent."));
  return files.sort().flatMap((file) => {
    const path = join(folder, file);
    const groups = groupsOf(linesOf(readFileSync(path), path));
    return groups.length < fewestGroups ? [] : [{ name: file.replace(/^intent\.|\.tsv\.gz$/g, ""), groups }];
  });
}

function groupsOf(lines: readonly string[]): readonly Group[] {
  const groupOf = new Map<string, string | null>();
  const textOf = new Map<string, string>();
  for (const line of lines) {
    const [group = "", text = ""] = line.split("\t");
    const words = wordsOf(text).join(" ");
    if (words === "") continue;
    const before = groupOf.get(words);
    groupOf.set(words, before === undefined || before === group ? group : null);
    if (!textOf.has(words)) textOf.set(words, text);
  }
  const texts = new Map<string, string[]>();
  for (const [words, group] of groupOf) {
    if (group === null) continue;
    const own = texts.get(group) ?? [];
    texts.set(group, own);
    own.push(textOf.get(words) ?? "");
  }
  return [...texts].flatMap(([name, own]) => (own.length < fewestTexts ? [] : [{ name, texts: own }]));
}

/** "data:cancelOrder_now" as "cancel order now". */
const plainName = (label: string): string =>
  label
    .replace(/^.*[:/]/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();

/**
 * Some intents of a source as a catalog, one fifth of them left out of it, and requests of all. Equal seeds draw the same
 * intents and requests whatever the number of examples.
 * @param examples  of each workflow, at most half of its texts; 0 for none
 */
export function intentProtocol({ name, groups }: IntentSource, examples: number, seed: number): IntentProtocol {
  const random = seededRandom(seed);
  const drawn = random.shuffle(groups).slice(0, mostWorkflows);
  const removed = drawn.slice(0, Math.max(1, Math.round(leaving * drawn.length)));
  const workflows: Workflow[] = [];
  const rows: LabelledRequest[] = [];
  for (const [place, group] of drawn.entries()) {
    const workflowId = `intent_${place}` as WorkflowId;
    const texts = random.shuffle(group.texts);
    const shown = Math.min(10, Math.floor(texts.length / 2));
    if (!removed.includes(group)) {
      const title = plainName(group.name);
      workflows.push(
        aWorkflow({
          workflow_id: workflowId,
          name: title,
          description: `Workflow for ${title}.`,
          capabilities: [],
          examples: texts.slice(0, Math.min(examples, shown)),
        }),
      );
    }
    for (const [number, text] of texts.slice(shown, shown + mostAsked).entries()) {
      rows.push({ id: `${place}-${number}`, text, workflow_id: workflowId });
    }
  }
  return {
    catalog: { catalog_version: `${name}-${seed}`, sha256: "0".repeat(64) as Sha256, workflows },
    rows,
    removed: new Set(removed.map((_, place) => `intent_${place}`)),
  };
}
