import { formatSeconds } from "../../../src/domain/number-text.js";
import type { StepReport } from "../../../workbench/project/run-steps.js";
import { releaseStepName } from "../../../workbench/project/step-names.js";
import type { CommandContext } from "../../context.js";
import type { HeldOutVerdict } from "../../../workbench/project/held-out.js";
import type { Gate } from "../../result.js";
import { type Field, fields, table } from "../../table.js";
import type { ProjectRelease } from "../../../workbench/release/project-release.js";

/** Result of `run`. */
export interface ProjectRun {
  readonly project: string;
  readonly steps: readonly StepReport[];
  /** Whether held-out requests agree with the claims, in words; null before a calibration is made. */
  readonly verdict: string | null;
  /** The claims of the calibration, in words; empty before it is made. */
  readonly claims: readonly string[];
  /** What held-out rows say about the claims; null before they are measured. */
  readonly held_out: HeldOutVerdict | null;
  /** What keeps the later steps waiting; null when nothing does. */
  readonly stop: string | null;
  /** The report page; null before it is made. */
  readonly report: string | null;
  /** How far the release is; null unless --release was given. */
  readonly release: ProjectRelease | null;
}

const stateWords: Readonly<Record<StepReport["state"], string>> = {
  done: "done",
  up_to_date: "up to date",
  planned: "would run",
  waiting: "waits",
};

/** One step in words, as it ends. */
export function stepLine({ name, state, summary, milliseconds }: StepReport): string {
  const time = state === "done" ? formatSeconds(milliseconds) : "";
  return `${name.padEnd(9)}  ${stateWords[state].padEnd(10)}  ${time.padStart(6)}  ${summary}`.trimEnd();
}

/** What the project came to, in words; the steps themselves were told while they ran. */
export function runLines({ here }: Pick<CommandContext, "here">, run: ProjectRun): readonly string[] {
  const { steps, stop, report } = run;
  const planned = steps.some(({ state }) => state === "planned");
  const rows = steps.map(({ name, state, summary }) => [name, stateWords[state], summary]);
  return [
    ...(planned || run.claims.length === 0 ? table(rows) : []),
    ...(stop === null ? [] : ["", `${stop}.`]),
    ...(run.verdict === null ? [] : [run.verdict]),
    ...fields([...verdictFields(run), ...(report === null ? [] : [["report", here(report)] as const])]),
  ];
}

/** The claim, what held-out rows say about it, what was not tested, and what would change the verdict. */
function verdictFields({ claims, held_out: heldOut }: ProjectRun): readonly Field[] {
  const named = (name: string, lines: readonly string[]): readonly Field[] =>
    lines.map((line, index) => [index === 0 ? name : "", line] as const);
  return [
    ...named("claim", claims),
    ...named("held out", heldOut?.measured ?? []),
    ...named(
      "tested",
      (heldOut?.conditions ?? []).map((line) => `${line}.`),
    ),
    ...named("to change", heldOut?.changes ?? []),
  ];
}

/** The next steps of a project without a release. */
export function projectNext(
  { nextLine }: Pick<CommandContext, "nextLine">,
  { stop, steps, claims }: ProjectRun,
  gates: readonly Gate[],
): readonly string[] {
  if (stop !== null) return [nextLine("serve"), nextLine("route", "--text", "TEXT")];
  const planned = steps.filter(({ state }) => state === "planned");
  if (planned.some(({ name }) => name === releaseStepName)) return [nextLine("run", "--release")];
  if (claims.length === 0 || planned.length > 0) return [nextLine("run")];
  const met = gates.every(({ verdict }) => verdict === "pass");
  return [
    nextLine("route", "--text", "TEXT", "--explain"),
    nextLine("serve"),
    ...(met ? [nextLine("run", "--release")] : []),
  ];
}
