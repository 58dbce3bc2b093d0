import type { Invocation } from "../../src/base/invocation.js";
import { dirname, join } from "node:path";
import { waitingProposals } from "../../stages/init/write-drafts.js";
import type { ReleaseStage } from "../../stages/project/release-step.js";
import type { StepReport } from "../../stages/project/run-steps.js";
import { neededOf, shortId } from "../../src/base/text.js";
import type { CommandContext } from "../context.js";
import { releaseFields, releaseNext } from "../release-lines.js";
import { fields, table } from "../table.js";
import type { WorkOf } from "../command.js";
import type { statusSpec } from "../specs/project.js";
import { type ProjectStatus, projectStatus } from "../../stages/project.js";

type Status = Pick<ProjectStatus, "stop" | "steps" | "upToDate" | "release" | "unsettled">;

export const status: WorkOf<typeof statusSpec> = async (context, args) => {
  const status = await projectStatus(context, args);
  const { project, upToDate, stop, release } = status;
  const steps = status.steps.map(({ name, state, summary }) => ({ name, state, summary }));
  return {
    result: { project, up_to_date: upToDate, stop, steps, release },
    lines: [...statusLines(status), ...(release === null ? [] : ["", ...stageLines(context, release)])],
    warnings: await proposalWarnings(context, args.file),
    next: statusNext(context, status),
  };
};

/** Drafts of a later `init` that nobody merged: no command reads them. */
export async function proposalWarnings({ here }: CommandContext, file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const waiting = await waitingProposals(folder);
  return waiting.map((name) => `${here(join(folder, name))}: a draft of init that no command uses. Merge or delete it`);
}

export function statusLines({ steps, stop }: Pick<Status, "steps" | "stop">): readonly string[] {
  const rows = steps.map(({ name, state, summary }) => [name, stateWords[state], summary]);
  return [...table(rows), ...(stop === null ? [] : ["", `${stop}.`])];
}

export const stateWords = {
  up_to_date: "up to date",
  done: "up to date",
  planned: "missing",
  outdated: "outdated",
  waiting: "waits",
} as const satisfies Readonly<Record<StepReport["state"], string>>;

/** Describes the progress towards production. */
export function stageLines(context: CommandContext, stage: ReleaseStage): readonly string[] {
  return fields(stageFields(context, stage));
}

export function stageFields(
  context: CommandContext,
  stage: ReleaseStage,
): readonly (readonly [name: string, value: string])[] {
  const { producer, approvers, signed, latest } = stage;
  const ready = latest !== null && latest.directory !== null;
  const unsigned =
    latest === null ? "nothing is signed" : "the bundle below was made from an earlier calibration or catalog";
  return [
    ["release", signed ? "signed, made from the current calibration" : `missing: ${unsigned}`],
    ["people", `${producer} signs; ${neededOf(approvers, 2, "two")} must approve`],
    ...(latest === null ? [] : releaseFields(context, latest)),
    ...(ready ? [] : [["exported", exportedText(context, stage)] as const]),
  ];
}

/** Why a server refuses the exported bundle; empty if it does not. */
export function stageProblems({ latest, serving }: ReleaseStage): readonly string[] {
  if (latest === null || serving === null) return [];
  if (latest.status.approved || serving.bundle_id !== latest.bundle_id) return [];
  return latest.status.problems.map((problem) => `A server refuses the exported bundle: ${problem}`);
}

function exportedText({ here }: CommandContext, { serving, latest }: ReleaseStage): string {
  if (serving === null) return "nothing yet";
  const { directory, bundle_id: id, bundle_version: version } = serving;
  const place = here(directory);
  if (id === null) return `a bundle that is not in this history, in ${place}`;
  const older = latest !== null && latest.bundle_id !== id ? ", an earlier one" : "";
  return `bundle ${shortId(id)} (${version ?? ""})${older}, in ${place}`;
}

export function statusNext(
  context: CommandContext,
  { upToDate, stop, release, unsettled }: Omit<Status, "steps">,
): readonly Invocation[] {
  const { next } = context;
  if (stop !== null) return [next("serve"), next("route", "--text", "TEXT")];
  if (!upToDate) return [next("run")];
  if (release === null) return [next("serve"), next("calibrate", "show"), releaseNextStep(next, unsettled)];
  if (!release.signed || release.latest === null) return [releaseNextStep(next, unsettled)];
  return releaseNext(context, release.latest);
}

export function releaseNextStep(
  next: CommandContext["next"],
  { findings, people }: ProjectStatus["unsettled"],
): Invocation {
  const named = people ? ["--producer", "NAME", "--approver", "NAME", "--approver", "NAME"] : [];
  return next("run", "--release", ...named, ...(findings ? ["--accept", "REASON"] : []));
}
