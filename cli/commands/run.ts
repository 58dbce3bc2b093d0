import { lineOf } from "../../src/base/invocation.js";
import { releaseStepName } from "../../src/documents/choices.js";
import { previewProjectRun, type RanProject, runProject } from "../../stages/project.js";
import type { CommandContext } from "../context.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import type { WorkOf } from "../command.js";
import type { runSpec } from "../specs/project.js";
import { personSigner } from "./key/signing-key.js";
import { formatSeconds } from "../../src/documents/number-text.js";
import type { Invocation } from "../../src/base/invocation.js";
import { proposalWarnings, releaseNextStep } from "./status.js";
import { wouldRun, type StepReport } from "../../stages/project/run-steps.js";
import { shortId } from "../../src/base/text.js";
import { type Field, fields, table } from "../table.js";

export const run: WorkOf<typeof runSpec> = async (context, args, own) => {
  const { gates, ...ran } = own.dryRun
    ? await previewProjectRun(context, args)
    : await runProject(context, {
        ...args,
        signer: { of: (producer) => personSigner(context, producer, own) },
        onStep: (report) => context.note(stepLine(report)),
      });
  const { release } = ran;
  return {
    result: ran,
    lines: [...runLines(context, ran), ...(release === null ? [] : ["", ...releaseLines(context, release)])],
    warnings: [...(await proposalWarnings(context, args.file)), ...raisedWarnings(ran.taken_version)],
    next: release === null ? projectNext(context, ran, gates) : releaseNext(context, release),
    gates,
    gateReport: { junit: own.dryRun ? undefined : own.junit },
    ...(args.despiteGates && release !== null ? { exitCode: 0 as const } : {}),
  };
};

/** Servers could not tell two catalogs with one version apart. */
const raisedWarnings = (taken: RanProject["taken_version"]): readonly string[] =>
  taken === null
    ? []
    : [`catalog_version is now ${taken.next}: release ${taken.release} has ${taken.version} for a different catalog`];

type ProjectRun = Omit<RanProject, "gates">;

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
      ...missingFields(run, next),
      ...(report === null ? [] : [["report", here(report)] as const]),
    ]),
  ];
}

const named = (name: string, lines: readonly string[]): readonly Field[] =>
  lines.map((line, index) => [index === 0 ? name : "", line] as const);

/** The claim, details of the held-out requests, and what was not tested. */
function verdictFields({ claims, kinds, held_out: heldOut, verdict }: ProjectRun): readonly Field[] {
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
  ];
}

/** What is needed for a stricter claim, after the labels that may be wrong where wrong routes stop the next target. */
function missingFields({ held_out: heldOut }: ProjectRun, next: CommandContext["next"]): readonly Field[] {
  const labels = `to check: ${lineOf(next("eval", "errors", ...doubtedLabels))}`;
  return [
    ...named("labels", (heldOut?.suspects ?? []).length === 0 ? [] : [labels]),
    ...named("missing", heldOut?.changes ?? []),
  ];
}

const doubtedLabels = ["--fold", "all", "--sort", "doubted", "--with-texts"] as const;

function projectNext(
  { next }: Pick<CommandContext, "next">,
  { stop, steps, claims, changed, unsettled }: ProjectRun,
  gates: RanProject["gates"],
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
