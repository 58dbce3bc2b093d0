/**
 * Workflows that a model was not fitted on: Schema-Guided Dialogue by service, BANKING77 with 27 intents held out,
 * CLINC150 with ten examples, and the EVAL fold of the service desk; each checkpoint compared with BM25 and the lexical
 * retriever, with paired bands over whole workflows, and what the verifier adds to its retriever. Markdown on stdout.
 *
 *   npx tsc -b tsconfig.build.json && node dist/bench/held-out.js [--data FOLDER] [--checkpoint models/default]
 *       [--without-sgd DIR] [--without-banking77 DIR] [--draws 3] [--only service-desk,banking77,dialogues,clinc150]
 *
 * A checkpoint is a folder with retriever/ and verifier/. The two variants are checkpoints that were fitted without that
 * source (`sluice model fit` as in scripts/fit-default.mjs, less its --data); only they make an honest row where the
 * given checkpoint has read the source.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { shared } from "../test/support/shared.js";
import { bankingProtocol, wholeBankingProtocol } from "./held-out/banking.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { dialogueProtocol, withExamples } from "./held-out/dialogues.js";
import type { Protocol } from "./held-out/protocol.js";
import { serviceDeskProtocol } from "./held-out/service-desk.js";
import { answersOf, type Checkpoint, joinDraws, only, type SystemAnswers } from "./held-out/systems.js";
import { countsOf, systemTable, verifierHeader, verifierLine } from "./held-out/tables.js";
import { catalogOf, publishedSeeds, readClinc150 } from "../test/support/clinc150.js";
import { requestsOf } from "./published/clinc150.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
    "without-sgd": { type: "string" },
    "without-banking77": { type: "string" },
    draws: { type: "string", default: "3" },
    only: { type: "string", default: "service-desk,banking77,dialogues,clinc150" },
  },
});

const print = (lines: readonly string[]): unknown => process.stdout.write(`${lines.join("\n")}\n\n`);
const gains: string[] = [];

async function checkpoints(variant: string | undefined, source: string): Promise<readonly Checkpoint[]> {
  const own = await checkpointAt(values.checkpoint, values.checkpoint);
  return variant === undefined ? [own] : [own, await checkpointAt(variant, `fitted without ${source}`)];
}

/** @param note  the catalog */
function show(title: string, note: string, systems: readonly SystemAnswers[]): void {
  const [first] = systems;
  print([`### ${title}`, "", `${note} ${first === undefined ? "" : countsOf(first)}.`, "", ...systemTable(systems)]);
  gains.push(...systems.filter(({ retriever }) => retriever !== null).map((system) => verifierLine(title, system)));
}

/** The same with a mark at the checkpoint, whose training data holds the workflows that are asked for. */
const marked = (systems: readonly SystemAnswers[]): readonly SystemAnswers[] =>
  systems.map((system) =>
    system.name === values.checkpoint ? { ...system, name: `${system.name} (has read them)` } : system,
  );

async function dialogues(): Promise<void> {
  const protocol = dialogueProtocol(values.data);
  const models = await checkpoints(values["without-sgd"], "SGD");
  const unseen = (systems: readonly SystemAnswers[]) =>
    only(systems, ({ scope, cluster }) => scope !== "in_scope" || protocol.unseenServices.has(cluster));
  const size = `${protocol.catalog.workflows.length} workflows in the catalog, ${protocol.removed.size} removed.`;
  for (const examples of ["ten examples", "no example"] as const) {
    const catalog = examples === "ten examples" ? withExamples(protocol) : protocol.catalog;
    const systems = await answersOf({ ...protocol, catalog }, models);
    show(`SGD, services outside of the training part, ${examples}`, size, unseen(systems));
    show(`SGD, one service of each domain, ${examples}`, size, marked(systems));
  }
}

async function draws(protocolOf: (seed: number) => Protocol, models: readonly Checkpoint[]) {
  const found = [];
  for (let seed = 1; seed <= Number(values.draws); seed += 1) found.push(await answersOf(protocolOf(seed), models));
  return joinDraws(found);
}

async function banking(): Promise<void> {
  const models = await checkpoints(values["without-banking77"], "BANKING77");
  const held = await draws((seed) => bankingProtocol(values.data, seed), models);
  const note = `${values.draws} draws of ten examples, counted together.`;
  show("BANKING77, 27 intents held out", note, marked(held));
  const whole = await draws((seed) => wholeBankingProtocol(values.data, seed), models);
  show("BANKING77, all 77 intents", note, marked(whole));
}

async function clinc150(): Promise<void> {
  const data = readClinc150(values.data);
  const rows = requestsOf(data, ["test", "oos_test"]);
  const own = await checkpoints(undefined, "");
  const found = [];
  for (const seed of publishedSeeds) {
    const catalog = catalogOf(data, data.published[seed] ?? {});
    found.push(await answersOf({ catalog, rows, removed: new Set() }, own));
  }
  show(
    "CLINC150, ten examples, five published seeds",
    "150 workflows in the catalog, all seeds counted together.",
    joinDraws(found),
  );
}

async function serviceDesk(): Promise<void> {
  const systems = await answersOf(await serviceDeskProtocol(), await checkpoints(undefined, ""));
  show("Service desk, EVAL fold", "112 workflows in the catalog.", systems);
}

const sets: Readonly<Record<string, () => Promise<void>>> = { banking77: banking, dialogues, clinc150 };
const wanted = values.only.split(",");

if (wanted.includes("service-desk")) await serviceDesk();
for (const [name, measure] of Object.entries(sets).filter(([name]) => wanted.includes(name))) {
  if (existsSync(values.data)) await measure();
  else process.stderr.write(`${name} left out: there is no folder ${values.data}; name the data with --data FOLDER\n`);
}
print(["### The verifier's worth", "", ...verifierHeader, ...gains]);
