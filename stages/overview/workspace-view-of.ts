import { existsSync } from "node:fs";
import type {
  ProjectPart,
  TryBox,
  WorkspaceSection,
  WorkspaceView,
  WorkspaceCell,
} from "../../reports/workspace/workspace-view.js";
import type { ProjectPeople } from "../../store/project/people.js";
import { shortId, utcSeconds } from "../../src/base/text.js";
import { withHistory } from "../../store/records/session.js";
import { readReleaseState, type ReleaseState } from "../../src/trust/release-state.js";
import { decidedEnvironments, judgeOf } from "../sign.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import { readRecord, readCalibration } from "../../store/records/read-records.js";
import { type StoredManifest, manifestOf } from "../../release/read-signed.js";
import {
  type MarkedDecision,
  releaseStatus,
  type ReleaseQuestion,
  unjudgedDecisions,
} from "../../release/release-status.js";
import { reportPath } from "../report/report-pages.js";
import { formatCount, formatPercent } from "../../src/documents/number-text.js";
import { riskTiers } from "../../src/documents/choices.js";
import { type ListedRun, runsOfHistory } from "../compare.js";

export interface ShownProject {
  /** null: no project file. */
  readonly part: ProjectPart | null;
  /** Suggested next commands. */
  readonly next: readonly string[];
  /** People who sign; null if the project has none. */
  readonly people: ProjectPeople | null;
}

/** Information from outside the workspace. */
export interface WorkspaceLinks {
  /** State files in which servers record what they served. */
  readonly stateFiles: readonly string[];
}

/** Reads the state files; those that do not exist yet are left out. */
async function sightings(files: readonly string[]): Promise<readonly ServerSighting[]> {
  const states = await Promise.all(files.map(async (file) => ({ file, state: await readReleaseState(file) })));
  return states.flatMap(({ file, state }) => (state === null ? [] : [{ file, ...state }]));
}

/** Reads the content of a workspace page. Saves nothing. @throws {SluiceError} errors of reading records */
export async function workspaceViewOf(
  workbench: WorkbenchContext,
  { part, next, people }: ShownProject,
  { stateFiles }: WorkspaceLinks,
  trying: TryBox | null,
): Promise<WorkspaceView> {
  return {
    asOf: utcSeconds(workbench.clock()),
    workspace: workbench.workspace.directory,
    project: part,
    next,
    sections: await sectionsOf(workbench, people, stateFiles),
    trying,
  };
}

async function sectionsOf(
  workbench: WorkbenchContext,
  people: ProjectPeople | null,
  stateFiles: readonly string[],
): Promise<readonly WorkspaceSection[]> {
  if (!existsSync(workbench.workspace.history)) return [];
  const files = await judgeOf(workbench, { people });
  const now = new Date(workbench.clock());
  const judge = files === null ? null : { ...files, now };
  const servers = await sightings(stateFiles);
  return withHistory(workbench, "read", async ({ history }) => [
    ...runSections(history),
    planSection(history),
    calibrationSection(history),
    releaseSection(history, judge),
    exportSection(history),
    serverSection(history, servers),
  ]);
}

type ReleaseJudge = Omit<ReleaseQuestion, "environment">;

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
    empty: "No bundle has been signed yet: sluice run --release, or sluice manifest create",
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

function statusOf(history: History, manifest: StoredManifest, judge: ReleaseQuestion | null) {
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

function decisionText({ approver, decision, expires, counts, not_counted: why }: MarkedDecision): string {
  if (counts === null && why !== null) return why.message;
  if (decision === "reject") return `${approver} rejected`;
  return `${approver} approved until ${expires.slice(0, 10)}${counts === false ? " (does not count)" : ""}`;
}

/** Exported and imported bundles, and revocations, with their times. */
function exportSection(history: History): WorkspaceSection {
  const kinds = ["export", "import", "revocation"] as const;
  const entries = kinds
    .flatMap((kind) => listEntries(history, { kind }).map((entry) => ({ ...entry, kind })))
    .toSorted((a, b) => a.seq - b.seq);
  return {
    id: "exports",
    title: "Exports and revocations",
    columns: ["At", "What", "Bundle", "By"],
    empty: "Nothing has been exported yet: sluice bundle export",
    ...newestFirst(entries, ({ kind, sha256, at, actor }) => {
      const { what, bundleId } = eventOf(history, kind, sha256);
      const known = bundleId !== null && isKnown(history, bundleId);
      const bundle: WorkspaceCell =
        bundleId !== null && known
          ? { kind: "link", text: shortId(bundleId), href: reportPath("release", bundleId) }
          : codeCell(bundleId === null ? "" : shortId(bundleId));
      return [timeCell(at), textCell(what), bundle, textCell(actor)];
    }),
  };
}

/** A server's state file. */
interface ServerSighting extends ReleaseState {
  readonly file: string;
}

function serverSection(history: History, servers: readonly ServerSighting[]): WorkspaceSection {
  const rows = servers.flatMap(({ file, last_seen: lastSeen, environments }) =>
    Object.entries(environments).map(([environment, served]) => ({ file, lastSeen, environment, ...served })),
  );
  return {
    id: "servers",
    title: "Served",
    columns: ["Server state", "Environment", "Highest release served", "Bundle", "Last seen"],
    empty: "No server has been seen. Pass its --state file: sluice ui --state FILE",
    ...newestFirst(rows, ({ file, lastSeen, environment, release, bundle_id: bundleId }) => [
      textCell(file),
      textCell(environment),
      { kind: "number", text: String(release) },
      isKnown(history, bundleId)
        ? { kind: "link", text: shortId(bundleId), href: reportPath("release", bundleId) }
        : codeCell(shortId(bundleId)),
      timeCell(lastSeen),
    ]),
  };
}

function eventOf(
  history: History,
  kind: "export" | "import" | "revocation",
  sha256: string,
): { readonly what: string; readonly bundleId: string | null } {
  if (kind === "export") {
    return { what: "exported for a server", bundleId: readRecord(history, kind, sha256).document.bundle_id };
  }
  if (kind === "import") {
    const { bundle_id: bundleId, environment } = readRecord(history, kind, sha256).document;
    return { what: `imported for ${environment}`, bundleId };
  }
  const { sequence } = readRecord(history, kind, sha256).document;
  return { what: `revocation list ${sequence}`, bundleId: null };
}

const isKnown = (history: History, bundleId: string): boolean =>
  listEntries(history, { kind: "manifest" }).some(({ sha256 }) => manifestOf(history, sha256).bundleId === bundleId);

/** Maximum number of rows per list; older rows are only counted. */
const shownRows = 25;

const textCell = (value: string): WorkspaceCell => ({ kind: "text", text: value });
const timeCell = (at: string): WorkspaceCell => ({ kind: "time", at });
const codeCell = (value: string): WorkspaceCell => ({ kind: "code", text: value });

/** Builds a list, newest first, from entries in ascending order; reads only the displayed ones. */
function newestFirst<T>(
  entries: readonly T[],
  rowOf: (entry: T) => readonly WorkspaceCell[],
): Pick<WorkspaceSection, "rows" | "older"> {
  const rows = entries.slice(-shownRows).toReversed().map(rowOf);
  return { rows, older: entries.length - rows.length };
}

/** Runs with their reports, and pairs of runs that can be compared. */
function runSections(history: History): readonly WorkspaceSection[] {
  const runs = runsOfHistory(history);
  return [runSection(runs), comparisonSection(runs)];
}

function runSection(runs: readonly ListedRun[]): WorkspaceSection {
  return {
    id: "runs",
    title: "Runs",
    columns: ["Run", "At", "Kind", "Model", "Requests", "Calibrations"],
    empty: "No dataset has been scored yet: sluice eval run",
    ...newestFirst(runs, ({ run, at, kind, model_version: model, requests, calibrations }) => [
      { kind: "link", text: shortId(run), href: reportPath("run", run) },
      timeCell(at),
      textCell(kind),
      textCell(model),
      { kind: "number", text: formatCount(requests) },
      { kind: "number", text: formatCount(calibrations.length) },
    ]),
  };
}

function comparisonSection(runs: readonly ListedRun[]): WorkspaceSection {
  const pairs = runs.flatMap((after, index) => {
    const before = runs
      .slice(0, index)
      .findLast(({ dataset_sha256: dataset }) => dataset !== null && dataset === after.dataset_sha256);
    return before === undefined ? [] : [{ before, after }];
  });
  return {
    id: "comparisons",
    title: "Comparisons",
    columns: ["From", "To", "Catalog", "Model", "Decisions"],
    empty: "Two runs of one dataset can be compared: sluice eval compare A B",
    ...newestFirst(pairs, ({ before, after }) => [
      codeCell(shortId(before.run)),
      codeCell(shortId(after.run)),
      textCell(before.catalog_sha256 === after.catalog_sha256 ? "same" : "different"),
      textCell(before.model_version === after.model_version ? "same" : "different"),
      comparisonCell(before, after),
    ]),
  };
}

/** Links to the comparison if both runs have thresholds; otherwise shows the command that compares their rankings. */
function comparisonCell(before: ListedRun, after: ListedRun): WorkspaceCell {
  const text = `sluice eval compare ${shortId(before.run)} ${shortId(after.run)}`;
  if (before.calibrations.length === 0 || after.calibrations.length === 0) return codeCell(text);
  return { kind: "link", text: "differences", href: reportPath("comparison", `${before.run}-${after.run}`) };
}

/** Plans, which predict the claims that the data of a run can support. */
function planSection(history: History): WorkspaceSection {
  return {
    id: "plans",
    title: "Plans",
    columns: ["Plan", "At", "Run", "Result"],
    empty: "Nothing has been planned yet: sluice calibrate plan",
    ...newestFirst(listEntries(history, { kind: "plan" }), ({ sha256, at }) => {
      const { run_sha256: run, claims } = readRecord(history, "plan", sha256).document;
      const says = claims.map(({ claim, advised }) =>
        advised === null ? `${claim}: no target is likely` : `${claim}: target ${formatPercent(advised)} is likely met`,
      );
      return [
        codeCell(shortId(sha256)),
        timeCell(at),
        { kind: "link", text: shortId(run), href: reportPath("run", run) },
        textCell(says.join("; ")),
      ];
    }),
  };
}

function calibrationSection(history: History): WorkspaceSection {
  return {
    id: "calibrations",
    title: "Calibrations",
    columns: ["Calibration", "At", "Version", "Main claim", "Target", "Tiers that route", "Evaluation"],
    empty: "No thresholds have been fitted yet: sluice calibrate fit",
    ...newestFirst(listEntries(history, { kind: "calibration" }), ({ sha256, at }) => {
      const { calibration_version, claims, tiers, digests } = readCalibration(history, sha256).document;
      const [main] = claims;
      const routing = riskTiers.filter((tier) => tiers[tier].confidence !== null);
      const claim: WorkspaceCell =
        main?.certified === true
          ? { kind: "state", word: "certified", tone: "good" }
          : { kind: "state", word: "not certified", tone: "open" };
      return [
        { kind: "link", text: shortId(sha256), href: reportPath("calibration", sha256) },
        timeCell(at),
        textCell(calibration_version),
        claim,
        textCell(main === undefined ? "" : `at most ${formatPercent(main.target_risk)} wrong`),
        textCell(routing.length === 0 ? "none" : routing.join(", ")),
        { kind: "link", text: `of run ${shortId(digests.run)}`, href: reportPath("thresholds", sha256) },
      ];
    }),
  };
}
