/**
 * The panel for choosing settings and checkpoints: BANKING77, Schema-Guided Dialogue with zero to ten examples and its
 * paraphrased catalogs, the TUNE fold of the service desk, and public intent projects. Each of the projects is a
 * catalog of its own, with ten and with no examples, and a fifth of its intents out of scope. Requests in other
 * languages are measured with examples in English and in their own. The panel contains no text of CLINC150. Prints
 * Markdown.
 *
 *   npm run bench:panel [-- --checkpoint DIR ... --data FOLDER --only banking77,dialogues,service-desk,intents,languages,logs]
 *
 * A checkpoint is a folder with retriever/ and verifier/. The rows of BANKING77 and the intent projects are valid only
 * for a checkpoint that was not trained on them; the rows of dialogue services only if these are not in the training
 * part. Means over intent projects and languages follow their rows.
 */
import { parseArgs } from "node:util";
import { groupBy } from "../src/base/group-by.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import type { Catalog } from "../src/documents/catalog.js";
import { clusterOf } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { type DraftedExample, draftedExamples } from "../stages/label/drafted-examples.js";
import { intentProtocol, intentSources } from "../test/support/intent-sources.js";
import { shared } from "../test/support/shared.js";
import { bankingProtocol, wholeBankingProtocol } from "./held-out/banking.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { languageProtocols } from "./held-out/languages.js";
import { type DialogueProtocol, dialogueProtocol, paraphrased, withExamples } from "./held-out/dialogues.js";
import { type Protocol, scoreProtocol } from "./held-out/protocol.js";
import { serviceDeskProtocol } from "./held-out/service-desk.js";
import { answersOf } from "./held-out/systems.js";
import { figuresOf, meanOf, type PanelFigures, panelHeader, panelLine } from "./panel/figures.js";

const { values } = parseArgs({
  options: {
    checkpoint: { type: "string", multiple: true, default: ["models/default"] },
    data: { type: "string", default: shared("data") },
    draws: { type: "string", default: "5" },
    only: { type: "string", default: "banking77,dialogues,service-desk,intents,languages" },
  },
});

const checkpoints = await Promise.all(values.checkpoint.map((folder) => checkpointAt(folder, folder)));
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Results of every system by name, over the draws of one dataset. */
async function measure(set: string, draws: readonly Protocol[]): Promise<ReadonlyMap<string, PanelFigures>> {
  const found = new Map<string, PanelFigures[]>();
  for (const draw of draws) {
    for (const system of await answersOf(draw, checkpoints)) {
      found.set(system.name, [...(found.get(system.name) ?? []), figuresOf(system)]);
    }
  }
  const means = new Map([...found].map(([name, figures]) => [name, meanOf(figures)]));
  const requests = draws.reduce((sum, { rows }) => sum + rows.length, 0);
  for (const [name, figures] of means) print(panelLine(set, name, requests, figures));
  return means;
}

/** Removes the far out-of-scope requests, which are texts of CLINC150 and thus not allowed in the panel. */
const withoutFar = (protocol: Protocol): Protocol => {
  return { ...protocol, rows: protocol.rows.filter(({ workflow_id: workflowId }) => workflowId !== null) };
};

const seeds = Array.from({ length: Number(values.draws) }, (_, place) => place + 1);

async function banking(): Promise<void> {
  const whole = seeds.map((seed) => wholeBankingProtocol(values.data, seed));
  await measure("BANKING77, ten examples", whole);
  const held = seeds.map((seed) => withoutFar(bankingProtocol(values.data, seed)));
  await measure("BANKING77, 50 intents in scope, 27 out", held);
}

/** The first `count` examples of each workflow. */
const examplesOf = (catalog: Catalog, count: number): Catalog => {
  const workflows = catalog.workflows.map((workflow) => ({ ...workflow, examples: workflow.examples.slice(0, count) }));
  return { ...catalog, workflows };
};

/** Requests of the services that are not in the training part, and of the removed domains. */
function unseen(protocol: DialogueProtocol): DialogueProtocol {
  const rows = protocol.rows.filter(
    ({ workflow_id: workflowId }) =>
      workflowId !== null && (protocol.removed.has(workflowId) || protocol.unseenServices.has(clusterName(workflowId))),
  );
  return { ...protocol, rows };
}

const clusterName = (workflowId: WorkflowId): string => clusterOf({ id: "", workflow_id: workflowId });

async function dialogues(): Promise<void> {
  const protocol = unseen(dialogueProtocol(values.data));
  const whole = withExamples(protocol);
  for (const examples of [0, 1, 3, 10]) {
    await measure(`SGD unseen services, ${examples} examples`, [{ ...protocol, catalog: examplesOf(whole, examples) }]);
  }
  for (const version of ["v1", "v2"]) {
    const catalog = paraphrased(protocol.catalog, values.data, `catalog_sgdx_${version}.jsonl`);
    await measure(`SGD-X ${version}, 0 examples`, [{ ...protocol, catalog }]);
  }
}

async function serviceDesk(): Promise<void> {
  const protocol = await serviceDeskProtocol(["tune"]);
  for (const examples of [0, 10]) {
    const catalog = examplesOf(protocol.catalog, examples);
    await measure(`Service desk TUNE, ${examples} examples`, [{ ...protocol, catalog }]);
  }
}

/** Results on each of several sets, and their means. */
async function measureEach(
  title: string,
  suffix: string,
  sets: readonly { readonly name: string; readonly draws: readonly Protocol[] }[],
): Promise<void> {
  const found = new Map<string, PanelFigures[]>();
  for (const { name: set, draws } of sets) {
    for (const [name, one] of await measure(`${set}, ${suffix}`, draws)) {
      found.set(name, [...(found.get(name) ?? []), one]);
    }
  }
  for (const [name, all] of found) {
    print(panelLine(`mean of ${all.length} ${title}, ${suffix}`, name, 0, meanOf(all)));
  }
}

async function intents(): Promise<void> {
  const sources = intentSources(values.data);
  for (const examples of [10, 0]) {
    const projects = sources.map((source) => ({
      name: source.name,
      draws: [intentProtocol(source, examples, 1)],
    }));
    await measureEach("intent projects", `${examples} examples`, projects);
  }
}

async function languages(): Promise<void> {
  for (const set of ["xsid", "home-assistant"]) {
    const drawn = seeds.flatMap((seed) => languageProtocols(values.data, set, seed));
    for (const [kind, examples] of [
      ["english", "English examples"],
      ["own", "own examples"],
    ] as const) {
      const rows = new Map<string, Protocol[]>();
      for (const { language, [kind]: protocol } of drawn) {
        if (protocol !== null) rows.set(language, [...(rows.get(language) ?? []), protocol]);
      }
      const named = [...rows].map(([language, draws]) => ({ name: `${set} ${language}`, draws }));
      const isEnglish = ({ name }: { readonly name: string }): boolean => name === `${set} en`;
      for (const { name, draws } of named.filter(isEnglish)) await measure(`${name}, ${examples}`, draws);
      await measureEach(
        "languages",
        examples,
        named.filter((one) => !isEnglish(one)),
      );
    }
  }
}

/** Most requests of an unlabelled log; the other requests are measured. */
const logLength = 1000;

/** Catalogs without examples before and after the draft of `sluice label --draft`, taken as it is and after review. */
async function logs(): Promise<void> {
  const banks = seeds.map((seed) => wholeBankingProtocol(values.data, seed));
  await measureDrafts("BANKING77", banks);
  await measureDrafts("Service desk TUNE", [await serviceDeskProtocol(["tune"])]);
  await measureDrafts("SGD unseen services", [unseen(dialogueProtocol(values.data))]);
}

async function measureDrafts(set: string, protocols: readonly Protocol[]): Promise<void> {
  const drawn = await Promise.all(protocols.map(draftsOf));
  for (const kind of ["no examples", "a draft", "a reviewed draft"] as const) {
    const draws = drawn.map((one) => one[kind]);
    await measure(`${set}, ${kind}`, draws);
  }
}

async function draftsOf({ catalog: whole, rows, removed }: Protocol) {
  const catalog = examplesOf(whole, 0);
  const order = seededRandom(1).shuffle(rows);
  const count = Math.min(logLength, Math.floor(rows.length / 2));
  const [log, measured] = [order.slice(0, count), order.slice(count)];
  const [checkpoint] = checkpoints;
  if (checkpoint === undefined) throw new Error("found no checkpoint");
  const records = await scoreProtocol(checkpoint.sources, { catalog, rows: log, removed });
  const drafted = draftedExamples(
    records,
    catalog.workflows.map(({ workflow_id: id }) => id),
  );
  const rowOf = new Map(log.map((row) => [row.id, row]));
  const right = drafted.filter(({ id, workflow_id: workflowId }) => rowOf.get(id)?.workflow_id === workflowId);
  const taught = (draft: readonly DraftedExample[]): Protocol => {
    const texts = groupBy(draft, (guess) => guess.workflow_id);
    const workflows = catalog.workflows.map((workflow) => {
      const examples = (texts.get(workflow.workflow_id) ?? []).flatMap(({ id }) => rowOf.get(id)?.text ?? []);
      return { ...workflow, examples };
    });
    return { catalog: { ...catalog, workflows }, rows: measured, removed };
  };
  return { "no examples": taught([]), "a draft": taught(drafted), "a reviewed draft": taught(right) };
}

const sets: Readonly<Record<string, () => Promise<void>>> = {
  banking77: banking,
  dialogues,
  "service-desk": serviceDesk,
  intents,
  languages,
  logs,
};
for (const line of panelHeader) print(line);
for (const name of values.only.split(",")) await sets[name]?.();
