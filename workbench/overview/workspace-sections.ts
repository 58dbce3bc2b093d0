import type { WorkspaceCell, WorkspaceSection } from "../../reports/workspace/workspace-view.js";
import { formatCount, formatPercent } from "../../src/domain/number-text.js";
import { riskTiers } from "../../src/domain/choices.js";
import { type ListedRun, listRuns } from "../evaluation/list-runs.js";
import type { History } from "../history/open.js";
import { listEntries } from "../history/read.js";
import { readCalibration, readRecord } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import { reportPath } from "../reporting/report-pages.js";

/** Rows per list; older rows are only counted. */
export const shownRows = 25;

export const textCell = (value: string): WorkspaceCell => ({ kind: "text", text: value });
export const timeCell = (at: string): WorkspaceCell => ({ kind: "time", at });
export const codeCell = (value: string): WorkspaceCell => ({ kind: "code", text: value });

/** A list, newest first, from its entries, oldest first; only those that are shown are read. */
export function newestFirst<T>(
  entries: readonly T[],
  rowOf: (entry: T) => readonly WorkspaceCell[],
): Pick<WorkspaceSection, "rows" | "older"> {
  const rows = entries.slice(-shownRows).toReversed().map(rowOf);
  return { rows, older: entries.length - rows.length };
}

/** Runs with their reports, and the pairs of them that can be compared. */
export function runSections(history: History): readonly WorkspaceSection[] {
  const runs = listRuns(history);
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

/** Each run next to the one before it of the same dataset. */
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
      textCell(before.catalog_sha256 === after.catalog_sha256 ? "the same" : "another"),
      textCell(before.model_version === after.model_version ? "the same" : "another"),
      comparisonCell(before, after),
    ]),
  };
}

/** Decisions are compared where both runs have thresholds; else the command compares their rankings. */
function comparisonCell(before: ListedRun, after: ListedRun): WorkspaceCell {
  const text = `sluice eval compare ${shortId(before.run)} ${shortId(after.run)}`;
  if (before.calibrations.length === 0 || after.calibrations.length === 0) return codeCell(text);
  return { kind: "link", text: "which ones flip", href: reportPath("comparison", `${before.run}-${after.run}`) };
}

/** What the data of a run could support, as it was planned before anything was certified. */
export function planSection(history: History): WorkspaceSection {
  return {
    id: "plans",
    title: "Plans",
    columns: ["Plan", "At", "Run", "What it says"],
    empty: "Nothing has been planned yet: sluice calibrate plan",
    ...newestFirst(listEntries(history, { kind: "plan" }), ({ sha256, at }) => {
      const { run_sha256: run, claims } = readRecord(history, "plan", sha256).document;
      const says = claims.map(({ claim, advised }) =>
        advised === null
          ? `${claim}: no target is likely`
          : `${claim}: at most ${formatPercent(advised)} wrong is likely`,
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

/** Calibrations with what they claim. */
export function calibrationSection(history: History): WorkspaceSection {
  return {
    id: "calibrations",
    title: "Calibrations",
    columns: ["Calibration", "At", "Version", "Main claim", "Target", "Tiers that route", "Evaluation"],
    empty: "No thresholds have been fitted yet: sluice calibrate fit",
    ...newestFirst(listEntries(history, { kind: "calibration" }), ({ sha256, at }) => {
      const { calibrationVersion, claims, tiers, digests } = readCalibration(history, sha256).document;
      const [main] = claims;
      const routing = riskTiers.filter((tier) => tiers[tier].confidence !== null);
      const claim: WorkspaceCell =
        main?.certified === true
          ? { kind: "state", word: "certified", tone: "good" }
          : { kind: "state", word: "not certified", tone: "open" };
      return [
        { kind: "link", text: shortId(sha256), href: reportPath("calibration", sha256) },
        timeCell(at),
        textCell(calibrationVersion),
        claim,
        textCell(main === undefined ? "" : `at most ${formatPercent(main.targetRisk)} wrong`),
        textCell(routing.length === 0 ? "none" : routing.join(", ")),
        { kind: "link", text: `of run ${shortId(digests.run)}`, href: reportPath("thresholds", sha256) },
      ];
    }),
  };
}
