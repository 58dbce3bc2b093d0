import { command, say, textOf } from "../../src/base/error.js";
import { existsSync } from "node:fs";
import type {
  CompareForm,
  ProjectPart,
  Trend,
  TryBox,
  WorkspaceSection,
  WorkspaceView,
  WorkspaceCell,
} from "../../reports/workspace/workspace-view.js";
import type { ProjectPeople } from "../../store/project/people.js";
import { shortId, utcSeconds } from "../../src/base/text.js";
import { withHistory } from "../../store/records/session.js";
import { decidedEnvironments, judgeOf } from "../sign.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import { readCalibration } from "../../store/records/read-records.js";
import { type StoredManifest, manifestOf } from "../../release/read-signed.js";
import {
  type JudgedApproval,
  releaseStatus,
  type StatusQuestion,
  unjudgedDecisions,
} from "../../release/release-status.js";
import { reportPath } from "../report/report-pages.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { formatCount } from "../../src/documents/number-text.js";
import { headline, mainClaim, missedPlan } from "../../reports/headline.js";
import { type ListedRun, runsOfHistory } from "../runs.js";

export interface ShownProject {
  /** null: no project file. */
  readonly part: ProjectPart | null;
  readonly next: readonly string[];
  /** People who sign; null if the project has none. */
  readonly people: ProjectPeople | null;
}

/** Reads the content of a workspace page. Saves nothing. @throws {SluiceError} errors of reading records */
export async function workspaceViewOf(
  workbench: WorkbenchContext,
  { part, next, people }: ShownProject,
  { trying, token }: { readonly trying: TryBox | null; readonly token: string | null },
): Promise<WorkspaceView> {
  const { sections, subjects } = await recordsOf(workbench, people);
  return {
    asOf: utcSeconds(workbench.clock()),
    workspace: workbench.workspace.directory,
    project: part,
    next,
    trying,
    sections,
    comparing: token === null ? null : { token, subjects },
  };
}

async function recordsOf(
  workbench: WorkbenchContext,
  people: ProjectPeople | null,
): Promise<{ readonly sections: readonly WorkspaceSection[]; readonly subjects: CompareForm["subjects"] }> {
  if (!existsSync(workbench.workspace.history)) return { sections: [], subjects: [] };
  const files = await judgeOf(workbench, { people });
  const now = new Date(workbench.clock());
  const judge = files === null ? null : { ...files, now };
  return withHistory(workbench, "read", async ({ history }) => {
    const runs = runsOfHistory(history);
    const sections = [runSection(runs), calibrationSection(history), releaseSection(history, judge)];
    return { sections, subjects: subjectsOf(history, runs) };
  });
}

/** What can be compared: the latest calibrations, then the latest runs without one. */
function subjectsOf(history: History, runs: readonly ListedRun[]): CompareForm["subjects"] {
  const uncalibrated = runs.filter(({ result }) => result === null);
  return [
    ...newest(listEntries(history, { kind: "calibration" })).map(({ sha256, at }) => {
      const [promise] = headline(readCalibration(history, sha256).document);
      return { id: sha256, label: `calibration ${shortId(sha256)}, ${at}, ${promise?.value ?? "no promise"}` };
    }),
    ...newest(uncalibrated).map(({ run, note, at }) => ({
      id: run,
      label: `run ${shortId(run)}, ${note === null ? "" : `${note}, `}${at}`,
    })),
  ];
}

const newest = <T>(entries: readonly T[]): readonly T[] => entries.slice(-shownRows).toReversed();

type ReleaseJudge = Omit<StatusQuestion, "environment">;

/**
 * Bundles, their signers, and their approval status in each environment with a decision.
 * @param judge  null: there is no trust policy that determines whose approvals count
 */
function releaseSection(history: History, judge: ReleaseJudge | null): WorkspaceSection {
  const bundles = listEntries(history, { kind: "manifest" }).flatMap(({ sha256, at }) => {
    const manifest = manifestOf(history, sha256);
    return decidedEnvironments(history, manifest.bundleId).map((environment) => ({ manifest, at, environment }));
  });
  return {
    id: "releases",
    title: "Releases",
    columns: ["Bundle", "Release", "Version", "At", "Producer", "Environment", "Signed", "Status"],
    empty: textOf(
      say`No bundle has been signed yet: ${command`sluice run --release`}, or ${command`sluice manifest create`}`,
    ),
    ...newestFirst(bundles, ({ manifest, at, environment }) => {
      const { release, bundle_version: version, producer } = manifest.predicate;
      const { decisions: all, status } = statusOf(history, manifest, judge === null ? null : { ...judge, environment });
      const decisions = all.filter((decision) => decision.environment === environment);
      return [
        { kind: "link", text: shortId(manifest.bundleId), href: reportPath("release", manifest.bundleId) },
        { kind: "number", text: String(release) },
        textCell(version),
        timeCell(at),
        textCell(producer),
        textCell(environment),
        textCell(decisions.length === 0 ? "nobody yet" : decisions.map(decisionText).join("; ")),
        status,
      ];
    }),
  };
}

function statusOf(history: History, manifest: StoredManifest, judge: StatusQuestion | null) {
  if (judge === null) {
    const status: WorkspaceCell = { kind: "state", word: "no trust policy", tone: "quiet" };
    return { decisions: unjudgedDecisions(history, manifest.bundleId), status };
  }
  const { decisions, result } = releaseStatus(history, manifest, judge);
  const open = `${result.missing} missing`;
  const waiting: WorkspaceCell =
    result.missing > 0
      ? { kind: "state", word: open, tone: "open" }
      : { kind: "state", word: "not approved", tone: "bad" };
  if (result.revoked !== null || result.rejected.length > 0) {
    const word = result.revoked === null ? "rejected" : "revoked";
    return { decisions, status: { kind: "state", word, tone: "bad" } as const };
  }
  const status: WorkspaceCell = result.approved ? { kind: "state", word: "approved", tone: "good" } : waiting;
  return { decisions, status };
}

function decisionText({ approver, decision, expires, counts, not_counted: why }: JudgedApproval): string {
  if (counts === null && why !== null) return why.message;
  if (decision === "reject") return `${approver} rejected`;
  return `${approver} approved until ${expires.slice(0, 10)}${counts === false ? " (does not count)" : ""}`;
}

/** Maximum number of rows per list; older rows are only counted. */
const shownRows = 25;

const textCell = (value: string): WorkspaceCell => ({ kind: "text", text: value });
const timeCell = (at: string): WorkspaceCell => ({ kind: "time", at });

/** Builds a list, newest first, from entries in ascending order; reads only the displayed ones. */
function newestFirst<T>(
  entries: readonly T[],
  rowOf: (entry: T) => readonly WorkspaceCell[],
): Pick<WorkspaceSection, "rows" | "older"> {
  const rows = newest(entries).map(rowOf);
  return { rows, older: entries.length - rows.length };
}

function runSection(runs: readonly ListedRun[]): WorkspaceSection {
  const named = runs.some(({ note }) => note !== null);
  return {
    id: "runs",
    title: "Runs",
    columns: ["Run", ...(named ? ["Note"] : []), "At", "Model", "Requests", "Result"],
    empty: textOf(say`No dataset has been scored yet: ${command`sluice eval run`}`),
    ...newestFirst(runs, ({ run, note, at, kind, model_version: model, requests, result }) => [
      { kind: "link", text: shortId(run), href: reportPath("run", run) },
      ...(named ? [textCell(note ?? "")] : []),
      timeCell(at),
      textCell(model),
      { kind: "number", text: formatCount(requests) },
      textCell(result ?? (kind === "imported" ? "imported predictions" : "no calibration")),
    ]),
  };
}

/** How the promise and the routed share changed from calibration to calibration; nothing to draw before the second. */
function trendsOf(calibrations: readonly Calibration[]): readonly Trend[] {
  if (calibrations.length < 2) return [];
  const certified = calibrations.map((calibration) => {
    const claim = mainClaim(calibration);
    return claim?.certified === true
      ? { limit: claim.target_risk, routed: calibration.traffic.expected.coverage }
      : null;
  });
  return [
    { label: "At most wrong", shares: certified.map((one) => one?.limit ?? null) },
    { label: "Routed", shares: certified.map((one) => one?.routed ?? null) },
  ];
}

function calibrationSection(history: History): WorkspaceSection {
  const entries = listEntries(history, { kind: "calibration" });
  const shown = newest(entries).toReversed();
  return {
    id: "calibrations",
    title: "Calibrations",
    columns: ["Calibration", "At", "Promise", "Routed", "Wrong when tested", "Planned", "Evaluation"],
    empty: textOf(say`No thresholds have been fitted yet: ${command`sluice calibrate fit`}`),
    trends: trendsOf(shown.map(({ sha256 }) => readCalibration(history, sha256).document)),
    ...newestFirst(entries, ({ sha256, at }) => {
      const calibration = readCalibration(history, sha256).document;
      const [promise, ...others] = headline(calibration);
      const certified = mainClaim(calibration)?.certified === true;
      return [
        { kind: "link", text: shortId(sha256), href: reportPath("calibration", sha256) },
        timeCell(at),
        {
          kind: "state",
          word: promise?.value ?? "none",
          tone: certified && !missedPlan(calibration) ? "good" : "open",
        },
        ...others.map(({ value }) => textCell(value)),
        { kind: "link", text: `of run ${shortId(calibration.digests.run)}`, href: reportPath("thresholds", sha256) },
      ];
    }),
  };
}
