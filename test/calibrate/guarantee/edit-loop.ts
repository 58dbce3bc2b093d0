/**
 * A catalog whose owner calibrates, reads the wrong routes, edits, and calibrates again. The truth is exact: the wrong
 * share of all requests above the threshold.
 */
import { fitCalibration } from "../../../calibrate/fit-calibration.js";
import { rowsOfSplit, type SeenRows } from "../../../stages/import/seen-rows.js";
import { type SeededRandom, seededRandom } from "../../../src/base/numbers/seeded-random.js";
import type { Sha256 } from "../../../src/base/sha256.js";
import type { Calibration } from "../../../src/documents/calibration.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { decide } from "../../../src/router/policy/decide.js";
import { candidate, record } from "../synthetic-records.js";
import { aCatalog, aRequest, aWorkflow } from "../../support/score-cases.js";

/**
 * What an owner does with a wrong route. `cure`: an example makes this request right and helps no other. `improve`: it
 * also removes a tenth of the workflow's errors. `withdraw`: three in ten are withdrawn and returned under the router's
 * label, the others are cured. `delete`: the row goes.
 */
export const editors = ["cure", "improve", "withdraw", "delete"] as const;
export type Editor = (typeof editors)[number];

export interface LoopOptions {
  readonly workflows: number;
  readonly requests: number;
  readonly rounds: number;
  readonly editor: Editor;
  readonly seed: number;
  /** Whether the history remembers what was seen. */
  readonly remembers: boolean;
}

export interface Round {
  /** Signed limit; null if nothing is certified. */
  readonly limit: number | null;
  /** Exact wrong share of the routes. */
  readonly risk: number;
  readonly routed: number;
}

interface Request {
  row: LabelledRequest;
  readonly workflow: number;
  /** Evidence of the first candidate, in [0, 6]. */
  logit: number;
  /** The first candidate is wrong while this is below the chance of an error. */
  readonly luck: number;
  isCured: boolean;
}

const highest = 6;
/** Chance of an error at logit 0 in a workflow of mean hardness, and the logits over which it falls to a third. */
const difficulty = 0.3;
const decay = 3;
const digest = "0".repeat(64) as Sha256;
const digests = { catalog: digest, dataset: digest, split: digest, run: digest };

const chanceOfError = (hardness: number, logit: number): number =>
  Math.min(1, difficulty * hardness * Math.exp(-logit / decay));

/** Wrong share of all requests whose logit is at least `from`: the integral over evenly distributed logits. */
function riskAbove(hardnesses: readonly number[], from: number): number {
  const wrong = hardnesses.reduce((sum, hardness) => {
    const certain = Math.min(highest, Math.max(from, decay * Math.log(Math.max(1e-12, difficulty * hardness))));
    const rest = Math.exp(-certain / decay) - Math.exp(-highest / decay);
    return sum + (certain - from) + decay * difficulty * hardness * rest;
  }, 0);
  return wrong / (hardnesses.length * (highest - from));
}

/** The lowest logit that the thresholds of a calibration route, to a thousandth; `highest` if nothing is routed. */
function lowestRouted(calibration: Calibration): number {
  const routes = (logit: number): boolean =>
    decide({ candidates: [candidate(idOf(0), logit, { risk_tier: "medium" })] }, calibration).decision === "ROUTE";
  if (!routes(highest)) return highest;
  let [declined, routed] = [-1, highest];
  while (routed - declined > 0.001) {
    const middle = (declined + routed) / 2;
    if (routes(middle)) routed = middle;
    else declined = middle;
  }
  return Math.max(0, routed);
}

const idOf = (workflow: number): WorkflowId => `flow.w${workflow}` as WorkflowId;

function drawnRequest(random: SeededRandom, workflow: number, at: number): Request {
  const text = `request ${workflow} number ${at} about ${Math.floor(1e9 * random.uniform()).toString(36)}`;
  return {
    row: aRequest({ id: `${workflow}-${at}`, text, workflow_id: idOf(workflow) }),
    workflow,
    logit: highest * random.uniform(),
    luck: random.uniform(),
    isCured: false,
  };
}

/** The requests of a catalog, and what its owner did to them. */
class EditedCatalog {
  readonly hardnesses: number[];
  readonly #byText: ReadonlyMap<string, Request>;
  readonly #random: SeededRandom;
  readonly #editor: Editor;
  given: readonly LabelledRequest[];

  constructor({ workflows, requests, editor, seed }: LoopOptions) {
    const random = seededRandom(seed);
    this.#random = random;
    this.#editor = editor;
    this.hardnesses = Array.from({ length: workflows }, () => -Math.log(1 - random.uniform()));
    const all = this.hardnesses.flatMap((_, workflow) =>
      Array.from({ length: requests }, (_, at) => drawnRequest(random, workflow, at)),
    );
    this.#byText = new Map(all.map((request) => [request.row.text, request]));
    this.given = all.map(({ row }) => row);
  }

  recordOf(row: LabelledRequest): ScoredRecord {
    const { workflow, logit, luck, isCured } = this.#requestOf(row);
    const chance = isCured ? 0 : chanceOfError(this.hardnesses[workflow] ?? 0, logit);
    const rival = idOf((workflow + 1) % this.hardnesses.length);
    const first = luck < chance ? rival : (row.workflow_id ?? rival);
    return record(row.id, [candidate(first, logit, { risk_tier: "medium" })], {
      workflow_id: row.workflow_id,
      cluster: `workflow:${row.workflow_id}`,
      fold: "certify",
      ...(row.wrong_before === undefined ? {} : { wrong_before: row.wrong_before }),
    });
  }

  /** What the owner does after reading that this row was routed wrongly. */
  edit(edited: LabelledRequest): void {
    const { text } = edited;
    if (this.#editor === "delete") this.given = this.given.filter((row) => row.text !== text);
    else if (this.#editor === "withdraw" && this.#random.uniform() < 0.3) {
      this.given = this.given.map((row) => (row.text === text ? { ...row, withdrawn: "wrong label" } : row));
    } else this.#cure(this.#requestOf(edited));
  }

  #requestOf({ text }: LabelledRequest): Request {
    const request = this.#byText.get(text);
    if (request === undefined) throw new Error(`no request has the text "${text}"`);
    return request;
  }

  #cure(request: Request): void {
    request.isCured = true;
    request.logit = highest;
    if (this.#editor === "improve") this.hardnesses[request.workflow] = 0.9 * (this.hardnesses[request.workflow] ?? 0);
  }
}

const calibrated = (records: readonly ScoredRecord[], attempt: number): Calibration =>
  fitCalibration({
    records,
    target_risk: 0.05,
    delta: 0.05,
    claim: "fixed-catalog",
    calibrator: "identity",
    attempt,
    digests,
    version: "loop",
  });

/** @returns  one result for each round */
export function editLoop(options: LoopOptions): readonly Round[] {
  const world = new EditedCatalog(options);
  const seen: SeenRows[] = [];
  return Array.from({ length: options.rounds }, (_, at) => {
    const catalog = aCatalog(
      world.hardnesses.map((_, workflow) => aWorkflow({ workflow_id: idOf(workflow), examples: [`version ${at}`] })),
    );
    const { rows } = rowsOfSplit(world.given, options.remembers ? seen : [], catalog);
    const calibration = calibrated(
      rows.map((row) => world.recordOf(row)),
      at + 1,
    );
    const from = lowestRouted(calibration);
    const risk = from >= highest ? 0 : riskAbove(world.hardnesses, from);
    const read = rows.flatMap((row) => {
      const { candidates, workflow_id: gold } = world.recordOf(row);
      const { decision, workflow_id: routed, confidence } = decide({ candidates }, calibration);
      return decision === "ROUTE" && routed !== gold ? [{ row, id: row.id, confidence }] : [];
    });
    const { workflows } = catalog;
    seen.push({ all: rows, tested: rows, heldOut: [], workflows, wrongRoutes: () => read });
    for (const { row } of read) world.edit(row);
    const claim = calibration.claims.find(({ certified }) => certified);
    return { limit: claim?.target_risk ?? null, risk, routed: 1 - from / highest };
  });
}

/** Number of loops in which a claim of any round was false. */
export const falseLoops = (loops: readonly (readonly Round[])[]): number =>
  loops.filter((rounds) => rounds.some(({ limit, risk }) => limit !== null && risk > limit + 1e-6)).length;
