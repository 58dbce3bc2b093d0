import type { Click, ClickPhase } from "../../datasets/labelling/label-records.js";
import { drawsLeft } from "../../calibrate/sequential-test.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import { type Labelling, secondOpinions, testProgress } from "./labelling.js";

/** Clicks on examples for each workflow, and for each workflow of a catalog whose suggestions are often wrong. */
const clicksPerWorkflow = { usual: 5, hard: 8 } as const;
/** A catalog is hard if fewer than this share of the latest clicks took one of the first two suggestions. */
const easyShare = 0.6;
const latestClicks = 24;
/** Examples for each workflow from another system that replace the clicks on examples. */
const judgedPerWorkflow = 20;
/** Draws of which a second person judges as many as they like. */
const secondSample = 25;

export interface Labelled {
  readonly labelling: Labelling;
  readonly workflows: number;
  /** Whether routes of the log are tested after the examples. */
  readonly isTested: boolean;
  /** The requests from which examples are chosen, each text once. */
  readonly half: readonly LabelledRequest[];
  /** Largest number of draws of the first test after which enough requests are left for a second. */
  readonly drawsBeforeSecond: number;
  readonly actor: string;
}

/** What is to be done: a click, or the plan of the next test ("freeze"); "done" if there is nothing for this person. */
export type Phase = ClickPhase | "freeze" | "done";

export function phaseOf(labelled: Labelled): Phase {
  if (!labelled.isTested) return openExamples(labelled).length === 0 ? "done" : "example";
  const plan = labelled.labelling.plans.at(-1)?.document;
  if (plan === undefined) return phaseBeforeTest(labelled);
  const { state, draws } = testProgress(labelled.labelling, plan);
  if (state === "open") return "test";
  if (state === "failed" && plan.stage === 1 && draws <= labelled.drawsBeforeSecond) return phaseBeforeTest(labelled);
  return openSeconds(labelled).length > 0 ? "second" : "done";
}

function phaseBeforeTest(labelled: Labelled): Phase {
  const isEnough = labelled.labelling.of.example.length >= wantedExamples(labelled);
  return isEnough || openExamples(labelled).length === 0 ? "freeze" : "example";
}

/** Number of judged examples before the next test. A second test gets more. */
export function wantedExamples({ labelling: { of, plans }, workflows }: Labelled): number {
  const judged = of.example.filter((click) => click.judged).length;
  const more = plans.length * Math.max(24, Math.ceil(1.5 * workflows));
  if (judged >= judgedPerWorkflow * workflows) return judged + more;
  const usual = clicksPerWorkflow.usual * workflows;
  const clicked = of.example.slice(judged);
  const latest = clicked.slice(Math.max(0, usual - latestClicks), usual);
  const easy = latest.filter(({ rank }) => rank !== null && rank <= 2).length;
  const isHard = clicked.length >= usual && easy < easyShare * latest.length;
  return judged + (isHard ? clicksPerWorkflow.hard * workflows : usual) + more;
}

/** The requests that may become examples and were not shown yet. */
export function openExamples({
  labelling: { of, log },
  half,
}: Pick<Labelled, "labelling" | "half">): readonly LabelledRequest[] {
  const shown = new Set(of.example.map(({ row }) => log.byId.get(row)?.text));
  return half.filter(({ text }) => !shown.has(text));
}

/** The draws on which this person may give a second opinion. */
export function openSeconds({ labelling, actor }: Labelled): readonly string[] {
  const plan = labelling.plans.at(-1)?.document;
  if (plan === undefined) return [];
  const given = new Set(labelling.of.second.map(({ row }) => row));
  return testProgress(labelling, plan)
    .judged.slice(0, secondSample)
    .filter(({ row, judgement }) => judgement.row === row && judgement.by !== actor && !given.has(row))
    .map(({ row }) => row);
}

/** Whether a request may be answered now. */
export function isOpen(labelled: Labelled, phase: ClickPhase, row: string): boolean {
  if (phaseOf(labelled) !== phase) return false;
  if (phase === "second") return openSeconds(labelled).includes(row);
  if (phase === "example") return openExamples(labelled).some(({ id }) => id === row);
  const plan = labelled.labelling.plans.at(-1)?.document;
  return plan !== undefined && testProgress(labelled.labelling, plan).next === row;
}

/** The latest click of the present phase, if this person made it; a click before the plan of a test stands. */
export function lastClick(labelled: Labelled): Click | null {
  const phase = phaseOf(labelled);
  if (phase === "freeze" || phase === "done") return null;
  const { labelling, actor, half } = labelled;
  const last = labelling.of[phase].at(-1);
  const planned = labelling.plans.at(-1)?.document.draws ?? [];
  // A text that became an example of the catalog file is no longer in the half.
  const isEarlier =
    (phase === "test" && !planned.some(({ row }) => row === last?.row)) ||
    (phase === "example" && !half.some(({ id }) => id === last?.row));
  return last === undefined || last.by !== actor || last.judged || isEarlier ? null : last;
}

/** One sentence about how far the labelling has come. */
export function progressText(labelled: Labelled, target: number): string {
  const { labelling } = labelled;
  const plan = labelling.plans.at(-1)?.document;
  const phase = phaseOf(labelled);
  if (!labelled.isTested) {
    const left = openExamples(labelled).length;
    return `${counted(labelling.of.example.length, "text")} labelled, ${formatCount(left)} left. They become examples of the catalog when the command is stopped.`;
  }
  if (plan === undefined || phase === "example") {
    return `Examples: ${formatCount(labelling.of.example.length)} of ${formatCount(wantedExamples(labelled))}. The test comes after them.`;
  }
  const progress = testProgress(labelling, plan);
  const so = `${formatCount(progress.wrong)} wrong of ${formatCount(progress.draws)}`;
  if (phase === "second") {
    const { second_opinions: given, disagreements } = secondOpinions(labelling, progress);
    return `Second opinions: ${formatCount(given)}, of which ${formatCount(disagreements)} differ. ${formatCount(openSeconds(labelled).length)} left.`;
  }
  if (progress.state === "signed")
    return `The test is passed: at most ${formatPercent(target)} of routes are wrong; ${so}.`;
  if (progress.state === "failed") {
    const why = plan.stage === 1 ? "This log is too short for a second test" : "This log has no further test";
    return `The test has ended without a claim: ${so}. ${why}: start one with a longer log.`;
  }
  const { clean, withOne } = drawsLeft(plan, progress);
  const one = withOne === null ? "" : `, or ${formatCount(withOne)} with one`;
  return `${so}: ${counted(clean ?? 0, "more", "more")} without an error${one}.`;
}
