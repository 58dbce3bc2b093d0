import { lineOf } from "../../src/base/invocation.js";
import { releaseStepName } from "../../src/documents/choices.js";
import { previewProjectRun, type RanProject, runProject, type UnsettledRelease } from "../../stages/project.js";
import type { CommandContext } from "../context.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import type { Gate, ResultParts } from "../result.js";
import type { WorkOf } from "../command.js";
import type { runSpec } from "../specs/project.js";
import { personSigner } from "./key/signing-key.js";
import { formatSeconds } from "../../src/documents/number-text.js";
import type { Invocation } from "../../src/base/invocation.js";
import { proposalWarnings, releaseNextStep } from "./status.js";
import { wouldRun, type StepReport } from "../../stages/project/run-steps.js";
import type { ProjectChange } from "../../stages/project/what-changed.js";
import { shortId } from "../../src/base/text.js";
import type { HeldOutFindings } from "../../stages/project/held-out.js";
import { type Field, fields, table } from "../table.js";
import type { ProjectRelease } from "../../stages/project/release-step.js";

export const run: WorkOf<typeof runSpec> = async (context, args, own) => {
  if (own.dryRun) return planned(context, args);
  const ran = await runProject(context, {
    ...args,
    signer: { of: (producer) => personSigner(context, producer, own) },
    onStep: (report) => context.note(stepLine(report)),
  });
  const { release, gates, unsettled } = ran;
  const result = {
    project: ran.project,
    steps: ran.steps,
    verdict: ran.verdict,
    headline: ran.headline,
    changed: ran.changed,
    claims: ran.claims,
    kinds: ran.kinds,
    held_out: ran.heldOut,
    stop: ran.stop,
    report: ran.made.report === undefined ? null : context.workspace.report,
    release,
  };
  const told = args.despiteGates && release !== null;
  const warnings = [...(await proposalWarnings(context, args.file)), ...raisedWarnings(ran.takenVersion)];
  const parts = { ...partsOf(context, result, { gates, unsettled }), warnings };
  return { ...parts, gates, gateReport: own, ...(told ? { exitCode: 0 as const } : {}) };
};

/** Servers could not tell two catalogs with one version apart. */
const raisedWarnings = (taken: RanProject["takenVersion"]): readonly string[] =>
  taken === null
    ? []
    : [`catalog_version is now ${taken.next}: release ${taken.release} has ${taken.version} for a different catalog`];

/** Reports the steps that would run, without running them. */
async function planned(context: CommandContext, args: Parameters<WorkOf<typeof runSpec>>[1]): Promise<ResultParts> {
  const { unsettled, ...plan } = await previewProjectRun(context, args);
  const result = {
    ...plan,
    verdict: null,
    headline: null,
    changed: null,
    claims: [],
    kinds: [],
    held_out: null,
    report: null,
    release: null,
  };
  return partsOf(context, result, { gates: [], unsettled });
}

/** What decides the next command. */
interface NextSources {
  readonly gates: readonly Gate[];
  readonly unsettled: UnsettledRelease;
}

const partsOf = (context: CommandContext, result: ProjectRun, sources: NextSources): ResultParts => ({
  result,
  lines: [
    ...runLines(context, result),
    ...(result.release === null ? [] : ["", ...releaseLines(context, result.release)]),
  ],
  next: result.release === null ? projectNext(context, result, sources) : releaseNext(context, result.release),
});

interface ProjectRun {
  readonly project: string;
  readonly steps: readonly StepReport[];
  /** The numbers of the calibration in one line; null before there is one. */
  readonly headline: string | null;
  readonly changed: ProjectChange | null;
  /** Describes whether held-out requests agree with the claims; null before there is a calibration. */
  readonly verdict: string | null;
  /** The sentences of the claims; empty before there is a calibration. */
  readonly claims: readonly string[];
  /** Requests that stand alone, follow-ups, and texts of two wishes apart; empty without labelled follow-ups. */
  readonly kinds: readonly string[];
  /** Verdict of the held-out requests on the claims; null before they are measured. */
  readonly held_out: HeldOutFindings | null;
  /** Why later steps cannot run; null if nothing blocks them. */
  readonly stop: string | null;
  /** The report page; null before it exists. */
  readonly report: string | null;
  /** Release status; null unless --release was given. */
  readonly release: ProjectRelease | null;
}

const stateWords: Readonly<Record<StepReport["state"], string>> = {
  done: "done",
  up_to_date: "up to date",
  planned: "would run",
  outdated: "would run",
  waiting: "waits",
};

function stepLine({ name, state, summary, milliseconds }: StepReport): string {
  const time = state === "done" ? formatSeconds(milliseconds) : "";
  return `${name.padEnd(9)}  ${stateWords[state].padEnd(10)}  ${time.padStart(6)}  ${summary}`.trimEnd();
}

function runLines({ here, next }: Pick<CommandContext, "here" | "next">, run: ProjectRun): readonly string[] {
  const { steps, stop, report } = run;
  const planned = steps.some(wouldRun);
  const rows = steps.map(({ name, state, summary }) => [name, stateWords[state], summary]);
  return [
    ...(planned || run.claims.length === 0 ? table(rows) : []),
    ...(stop === null ? [] : ["", `${stop}.`]),
    ...(run.verdict === null ? [] : [run.verdict]),
    ...fields([
      ...(run.headline === null ? [] : [["result", run.headline] as const]),
      ...(run.changed === null ? [] : [["changed", run.changed.text] as const]),
      ...verdictFields(run),
      ...suspectFields(run, next),
      ...(report === null ? [] : [["report", here(report)] as const]),
    ]),
  ];
}

/** The claim, details of the held-out requests, what was not tested, and what is needed for a stricter claim. */
function verdictFields({ claims, kinds, held_out: heldOut, verdict }: ProjectRun): readonly Field[] {
  const named = (name: string, lines: readonly string[]): readonly Field[] =>
    lines.map((line, index) => [index === 0 ? name : "", line] as const);
  return [
    ...named("claim", claims),
    ...named(
      "kinds",
      kinds.map((line) => line.trim()),
    ),
    ...named(
      "held out",
      (heldOut?.measured ?? []).filter((line) => !line.startsWith(verdict?.slice(0, -1) ?? "\n")),
    ),
    ...named(
      "tested",
      (heldOut?.conditions ?? []).map((line) => `${line}.`),
    ),
    ...named("missing", heldOut?.changes ?? []),
  ];
}

/** The command that lists labels that may be wrong, where wrong routes stop the next target. */
function suspectFields({ held_out: heldOut }: ProjectRun, next: CommandContext["next"]): readonly Field[] {
  if ((heldOut?.suspects ?? []).length === 0) return [];
  return [["labels", `to check: ${lineOf(next("eval", "errors", ...doubtedLabels))}`]];
}

const doubtedLabels = ["--fold", "all", "--sort", "doubted", "--with-texts"] as const;

function projectNext(
  { next }: Pick<CommandContext, "next">,
  { stop, steps, claims, changed }: ProjectRun,
  { gates, unsettled }: NextSources,
): readonly Invocation[] {
  if (stop !== null) return [next("serve"), next("route", "--text", "TEXT")];
  const planned = steps.filter(wouldRun);
  if (planned.some(({ name }) => name === releaseStepName)) return [releaseNextStep(next, unsettled)];
  if (claims.length === 0 || planned.length > 0) return [next("run")];
  const met = gates.every(({ verdict }) => verdict === "pass");
  return [
    ...(changed === null ? [] : [next("eval", "compare", shortId(changed.before), shortId(changed.now))]),
    next("route", "--text", "TEXT", "--explain"),
    next("serve"),
    ...(met ? [releaseNextStep(next, unsettled)] : []),
  ];
}
