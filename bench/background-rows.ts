/**
 * Measures the effect of background rows in the fit of a calibrator (docs/adr/0029). A calibrator is fitted on half of
 * the in-scope requests and 200, 25 or no labelled out-of-scope requests, with and without the shipped background. It
 * is tested on the rest, weighted to a declared share of 18 %. Of the service desk only TUNE is read. CLINC150
 * (published catalogs; fitted on validation texts, tested on test texts) is read only if named. Prints Markdown.
 *
 *   npm run build && node dist/bench/background-rows.js [--data FOLDER] [--draws 5]
 *       [--without-banking77 DIR] [--without-sgd DIR] [--only banking77,sgd,service-desk,clinc150]
 *
 * The two --without options are checkpoints that were fitted without that source. Default: models/default.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Background, backgroundOf } from "../calibrate/background-rows.js";
import { calibrationRows } from "../calibrate/calibrators/calibration-row.js";
import { chooseCalibrator } from "../calibrate/choose-calibrator.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { answerOfRecord } from "../eval/baselines/ranked-answer.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { CalibratorFamily } from "../src/documents/calibrator.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { auroc, scoreTable } from "../eval/stats/roc.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { catalogOf, readClinc150 } from "../test/support/clinc150.js";
import { shared } from "../test/support/shared.js";
import { bankingProtocol } from "./held-out/banking.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { dialogueProtocol, withExamples } from "./held-out/dialogues.js";
import { requestsOf } from "./published/clinc150.js";
import { type Protocol, scoreProtocol } from "./held-out/protocol.js";
import { serviceDeskProtocol } from "./held-out/service-desk.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    draws: { type: "string", default: "5" },
    "without-banking77": { type: "string", default: "models/default" },
    "without-sgd": { type: "string", default: "models/default" },
    only: { type: "string", default: "banking77,sgd,service-desk" },
  },
});

const outOfScopeShare = 0.18;
const jointRisk = 0.05;
const coverageOfAcceptance = 0.7;
const counts = [200, 50, 25, 10, 0];
const families: readonly (CalibratorFamily | undefined)[] = [undefined, "verifier-features", "catalog-features"];

const requestsFile = "models/default/background/requests.jsonl";
const requests = readJsonl(readFileSync(requestsFile), requestsFile);
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Placeholder digest; nothing is saved. */
const unnamed = sha256Hex("");

interface Scored {
  readonly records: readonly ScoredRecord[];
  /** Records that are only tested; undefined: a part of `records` is drawn. */
  readonly tested?: readonly ScoredRecord[];
  readonly background: Background;
}

/** @param testIds  id prefix of the rows that are only tested */
async function scored(folder: string, protocol: Protocol, testIds?: string): Promise<Scored> {
  const { sources } = await checkpointAt(folder, folder);
  const all = await scoreProtocol(sources, protocol);
  const generic = await scoreProtocol(sources, { ...protocol, rows: requests });
  const background = { requestsSha256: unnamed, recordsSha256: unnamed, records: generic };
  if (testIds === undefined) return { records: all, background };
  const isTested = ({ id }: ScoredRecord): boolean => id.includes(testIds);
  return { records: all.filter((one) => !isTested(one)), tested: all.filter(isTested), background };
}

/** Removes the far out-of-scope requests, which are texts of CLINC150. */
const withoutFar = (protocol: Protocol): Protocol => {
  return { ...protocol, rows: protocol.rows.filter(({ workflow_id: workflowId }) => workflowId !== null) };
};

interface Figures {
  readonly area: number;
  readonly coverage: number;
  readonly accepted: number;
}

interface Answered {
  readonly score: number;
  readonly right: boolean;
  readonly known: boolean;
}

/**
 * Share of the in-scope requests above the lowest threshold at which at most 5 % of all requests are routed wrongly.
 */
function coverageAtJointRisk(answers: readonly Answered[]): number {
  const inScope = answers.filter(({ known }) => known).length;
  const weights = { in: (1 - outOfScopeShare) / inScope, out: outOfScopeShare / (answers.length - inScope) };
  let [wrong, covered, best] = [0, 0, 0];
  for (const { right, known } of answers.toSorted((a, b) => b.score - a.score)) {
    if (!right) wrong += known ? weights.in : weights.out;
    if (known) covered += 1;
    if (wrong <= jointRisk) best = covered / inScope;
  }
  return best;
}

function acceptedAt(answers: readonly Answered[]): number {
  const scores = answers.filter(({ known }) => known).map(({ score }) => score);
  const threshold = scores.toSorted((a, b) => b - a)[Math.floor(coverageOfAcceptance * scores.length)] ?? 0;
  const outside = answers.filter(({ known }) => !known);
  return outside.filter(({ score }) => score >= threshold).length / outside.length;
}

function figuresOf(tested: readonly ScoredRecord[], calibrator: Parameters<typeof answerOfRecord>[1]): Figures {
  const answers = tested.map((record): Answered => {
    const { score, right } = answerOfRecord(record, calibrator);
    return { score, right, known: record.workflow_id !== null };
  });
  const table = scoreTable(
    answers.map(({ score }) => score),
    answers.map(({ known }) => known),
  );
  return {
    area: auroc(table).value ?? Number.NaN,
    coverage: coverageAtJointRisk(answers),
    accepted: acceptedAt(answers),
  };
}

interface Drawn {
  readonly inScope: readonly ScoredRecord[];
  readonly outside: readonly ScoredRecord[];
  readonly tested: readonly ScoredRecord[];
}

function partsOf({ records, tested }: Scored, seed: number): Drawn {
  const shuffled = seededRandom(seed).shuffle(records);
  const inScope = shuffled.filter(({ workflow_id: workflowId }) => workflowId !== null);
  const outside = shuffled.filter(({ workflow_id: workflowId }) => workflowId === null);
  if (tested !== undefined) return { inScope, outside, tested };
  const [half, pool] = [Math.floor(inScope.length / 2), Math.min(200, Math.floor(outside.length / 2))];
  return {
    inScope: inScope.slice(0, half),
    outside: outside.slice(0, pool),
    tested: [...inScope.slice(half), ...outside.slice(pool)],
  };
}

/** Results with and without the background, by number of labelled out-of-scope requests. */
function drawOf(scores: Scored, seed: number, family: CalibratorFamily | undefined) {
  const { inScope, outside, tested } = partsOf(scores, seed);
  const possible = [...new Set(counts.map((count) => Math.min(outside.length, count)))];
  return possible.flatMap((count) =>
    [undefined, scores.background].map((given) => {
      const learned = [...inScope, ...outside.slice(0, count)];
      const choice = { out_of_scope_share: outOfScopeShare, ...(given === undefined ? {} : { background: given }) };
      const added = backgroundOf(choice, learned);
      const rows = calibrationRows(learned, { outOfScopeShare, background: added });
      const { calibrator } = chooseCalibrator(rows, { family });
      const name = `${count} + ${added.length}`;
      return { name, family: calibrator.family, figures: figuresOf(tested, calibrator) };
    }),
  );
}

const percent = (all: readonly number[]): string => ((100 * all.reduce((a, b) => a + b, 0)) / all.length).toFixed(1);

function report(set: string, draws: readonly Scored[]): void {
  for (const family of families) {
    const found = draws.map((draw, place) => drawOf(draw, place + 1, family));
    for (const [cell, { name }] of (found[0] ?? []).entries()) {
      const cells = found.flatMap((draw) => draw[cell] ?? []);
      const means = [
        percent(cells.map(({ figures }) => figures.area)),
        percent(cells.map(({ figures }) => figures.coverage)),
        percent(cells.map(({ figures }) => figures.accepted)),
      ];
      const chosen = [...new Set(cells.map((one) => one.family))].join(", ");
      print(`| ${set} | ${family ?? `chosen: ${chosen}`} | ${name} | ${means.join(" | ")} |`);
    }
  }
}

const seeds = Array.from({ length: Number(values.draws) }, (_, place) => place + 1);

async function banking(): Promise<void> {
  const draws: Scored[] = [];
  for (const seed of seeds) {
    draws.push(await scored(values["without-banking77"], withoutFar(bankingProtocol(values.data, seed))));
  }
  report("BANKING77, 50 in scope, 27 out", draws);
}

async function dialogues(): Promise<void> {
  const protocol = dialogueProtocol(values.data);
  const one = await scored(values["without-sgd"], withoutFar({ ...protocol, catalog: withExamples(protocol) }));
  report(
    "SGD, ten examples",
    seeds.map(() => one),
  );
}

async function serviceDesk(): Promise<void> {
  const one = await scored("models/default", await serviceDeskProtocol(["tune"]));
  report(
    "Service desk TUNE",
    seeds.map(() => one),
  );
}

/** Measures CLINC150's validation and test texts on its published ten-example catalogs. */
async function clinc(): Promise<void> {
  const data = readClinc150(values.data);
  const rows = requestsOf(data, ["val", "oos_train", "oos_val", "test", "oos_test"]);
  const draws: Scored[] = [];
  for (const indices of Object.values(data.published)) {
    const protocol = { catalog: catalogOf(data, indices), rows, removed: new Set<string>() };
    draws.push(await scored("models/default", protocol, "test-"));
  }
  report("CLINC150, ten examples", draws);
}

const sets: Readonly<Record<string, () => Promise<void>>> = {
  banking77: banking,
  sgd: dialogues,
  "service-desk": serviceDesk,
  clinc150: clinc,
};
print(
  "| Set | Calibrator | Out-of-scope rows, labelled + background | AUROC | coverage at a joint 5 % | accepted at 70 % |",
);
print("|---|---|---|---|---|---|");
for (const name of values.only.split(",")) await sets[name]?.();
