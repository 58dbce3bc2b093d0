/**
 * What other writing costs: typos, casing and punctuation of the requests (the EVAL fold of the service desk, and CLINC150
 * with the ten examples of seed 11, which no model has read), and paraphrased names and descriptions of the catalog (Schema-Guided Dialogue, SGD-X v1 and
 * v2). Top-1 and recall@5 with paired bands over whole workflows, and coverage at one threshold: the one that gave the
 * largest coverage with 95 % right on the unchanged validation requests. Tables in Markdown on stdout.
 *
 *   npx tsc -b tsconfig.build.json && node dist/bench/robustness.js [--data FOLDER] [--checkpoint models/default]
 *       [--without-sgd DIR] [--only service-desk|clinc150|catalogs]
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareAnswers } from "../eval/baselines/compare-answers.js";
import type { RankedAnswer } from "../eval/baselines/ranked-answer.js";
import type { AnswerMeasure } from "../src/domain/baseline.js";
import { atRisk } from "../eval/stats/risk-coverage.js";
import { scoreTable } from "../eval/stats/score-table.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { shared } from "../test/support/shared.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { dialogueProtocol, paraphrased, withExamples } from "./held-out/dialogues.js";
import type { Protocol } from "./held-out/protocol.js";
import { serviceDeskProtocol } from "./held-out/service-desk.js";
import { answersOf, type Checkpoint, type SystemAnswers } from "./held-out/systems.js";
import { catalogOf, readClinc150 } from "../test/support/clinc150.js";
import { type Perturbation, perturbations } from "../test/support/perturbations.js";
import { requestsOf } from "./published/clinc150.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
    "without-sgd": { type: "string" },
    only: { type: "string" },
  },
});

const seed = 11;
const wrongShare = 0.05;
const print = (cells: readonly string[]): unknown => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const percent = (value: number): string => (100 * value).toFixed(1);
const signed = (value: number): string => `${value < 0 ? "-" : "+"}${percent(Math.abs(value))}`;

function header(title: string, cells: readonly string[]): void {
  process.stdout.write(`\n### ${title}\n\n`);
  print(cells);
  print(cells.map(() => "---"));
}

function change(changed: readonly RankedAnswer[], before: readonly RankedAnswer[]) {
  const { measures } = compareAnswers(changed, before, { baseline: "unchanged" });
  return (name: AnswerMeasure): string => {
    const found = measures.find((measure) => measure.name === name);
    const value = found?.difference.measured.value ?? Number.NaN;
    const band = found?.difference.band ?? { lower: Number.NaN, upper: Number.NaN };
    return `${percent(found?.a.measured.value ?? Number.NaN)} (${signed(value)} [${signed(band.lower)}, ${signed(band.upper)}])`;
  };
}

/** The score that gives the largest coverage with at most 5 % of the accepted requests wrong. */
function thresholdOf(answers: readonly RankedAnswer[]): number {
  const table = scoreTable(
    answers.map(({ score }) => score),
    answers.map(({ right }) => right),
  );
  return atRisk(table, table.totalRows, wrongShare)?.threshold ?? Number.POSITIVE_INFINITY;
}

/** `59.6, 4.8 wrong`: accepted share of all requests, and the wrong share of the accepted. */
function coverageAt(answers: readonly RankedAnswer[], threshold: number): string {
  const accepted = answers.filter(({ score }) => score >= threshold);
  const wrong = accepted.filter(({ right }) => !right).length;
  if (accepted.length === 0) return "0.0, no data";
  return `${percent(accepted.length / answers.length)}, ${percent(wrong / accepted.length)} wrong`;
}

function perturbed(protocol: Protocol, { apply }: Perturbation): Protocol {
  const random = seededRandom(seed);
  return { ...protocol, rows: protocol.rows.map((row) => ({ ...row, text: apply(row.text, random) })) };
}

interface Writing {
  readonly title: string;
  /** Its unchanged requests choose the threshold. */
  readonly validation: Protocol;
  readonly test: Protocol;
}

function clinc150(): Writing {
  const data = readClinc150(values.data);
  const catalog = catalogOf(data, data.published[seed] ?? {});
  const over = (lists: Parameters<typeof requestsOf>[1]): Protocol => {
    return { catalog, rows: requestsOf(data, lists), removed: new Set() };
  };
  const title = "Writing of the requests: CLINC150, ten examples";
  return { title, validation: over(["val", "oos_train", "oos_val"]), test: over(["test", "oos_test"]) };
}

async function serviceDesk(): Promise<Writing> {
  return {
    title: "Writing of the requests: service desk, EVAL fold",
    validation: await serviceDeskProtocol(["tune", "certify"]),
    test: await serviceDeskProtocol(),
  };
}

async function measureWriting({ title, validation, test }: Writing, models: readonly Checkpoint[]): Promise<void> {
  const chosen = await answersOf(validation, models);
  const before = await answersOf(test, models);
  header(title, ["Change", "System", "top-1", "recall@5", "coverage at the fixed threshold"]);
  const show = (name: string, systems: readonly SystemAnswers[]) => {
    for (const [position, system] of systems.entries()) {
      const cell = change(system.answers, before[position]?.answers ?? []);
      const threshold = thresholdOf(chosen[position]?.answers ?? []);
      print([name, system.name, cell("first_right"), cell("recall_at_5"), coverageAt(system.answers, threshold)]);
    }
  };
  show("none", before);
  for (const perturbation of perturbations) {
    show(perturbation.name, await answersOf(perturbed(test, perturbation), models));
  }
}

async function catalogs(models: readonly Checkpoint[]): Promise<void> {
  const protocol = dialogueProtocol(values.data);
  header("Paraphrased catalogs", ["Catalog", "System", "top-1", "recall@5"]);
  for (const examples of ["no example", "ten examples"] as const) {
    const own = examples === "ten examples" ? withExamples(protocol) : protocol.catalog;
    const before = await answersOf({ ...protocol, catalog: own }, models);
    const show = (name: string, systems: readonly SystemAnswers[]) => {
      for (const [position, system] of systems.entries()) {
        const cell = change(system.answers, before[position]?.answers ?? []);
        print([`${name}, ${examples}`, system.name, cell("first_right"), cell("recall_at_5")]);
      }
    };
    show("as published", before);
    for (const version of ["v1", "v2"]) {
      const catalog = paraphrased(own, values.data, `catalog_sgdx_${version}.jsonl`);
      show(`SGD-X ${version}`, await answersOf({ ...protocol, catalog }, models));
    }
  }
}

const own = await checkpointAt(values.checkpoint, values.checkpoint);
const wanted = (part: string): boolean => values.only === undefined || values.only === part;
if (wanted("service-desk")) await measureWriting(await serviceDesk(), [own]);
if (!existsSync(values.data)) {
  process.stderr.write(`left out: there is no folder ${values.data}; name the data with --data FOLDER\n`);
} else {
  if (wanted("clinc150")) await measureWriting(clinc150(), [own]);
  if (wanted("catalogs")) {
    const variant = values["without-sgd"];
    const marked = { ...own, name: `${values.checkpoint} (has read them)` };
    await catalogs(variant === undefined ? [marked] : [marked, await checkpointAt(variant, "fitted without SGD")]);
  }
}
