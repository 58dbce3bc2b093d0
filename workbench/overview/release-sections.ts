import type { WorkspaceCell, WorkspaceSection } from "../../reports/workspace/workspace-view.js";
import type { History } from "../history/open.js";
import type { ReleaseState } from "../../src/artifacts/release-state.js";
import { listEntries } from "../history/read.js";
import { readRecord } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import { type KeptManifest, manifestOf } from "../release/read-manifest.js";
import {
  type MarkedDecision,
  releaseStanding,
  type StandingQuestion,
  unjudgedDecisions,
} from "../release/release-standing.js";
import { reportPath } from "../reporting/report-pages.js";
import { decidedEnvironments } from "./decided-environments.js";
import { codeCell, newestFirst, textCell, timeCell } from "./workspace-sections.js";

/** Inputs that judge decisions, whatever the environment. */
export type ReleaseJudge = Omit<StandingQuestion, "environment">;

/**
 * Bundles, their signers, and the state of their approvals in each environment that they were decided for.
 * @param judge  null: no trust policy says who counts
 */
export function releaseSection(history: History, judge: ReleaseJudge | null): WorkspaceSection {
  const bundles = listEntries(history, { kind: "manifest" }).flatMap(({ sha256, at }) => {
    const manifest = manifestOf(history, sha256);
    return decidedEnvironments(history, manifest.bundleId).map((environment) => ({ manifest, at, environment }));
  });
  return {
    id: "releases",
    title: "Releases",
    columns: ["Bundle", "Release", "Version", "At", "Producer", "Environment", "Signed", "Standing"],
    empty: "No bundle has been signed yet: sluice run --release, or sluice manifest create",
    ...newestFirst(bundles, ({ manifest, at, environment }) => {
      const { release, bundle_version: version, producer } = manifest.predicate;
      const { decisions: all, standing } = standingOf(
        history,
        manifest,
        judge === null ? null : { ...judge, environment },
      );
      const decisions = all.filter((decision) => decision.environment === environment);
      return [
        { kind: "link", text: shortId(manifest.bundleId), href: reportPath("release", manifest.bundleId) },
        { kind: "number", text: String(release) },
        textCell(version),
        timeCell(at),
        textCell(producer),
        textCell(environment),
        textCell(decisions.length === 0 ? "nobody yet" : decisions.map(decisionText).join("; ")),
        standing,
      ];
    }),
  };
}

function standingOf(history: History, manifest: KeptManifest, judge: StandingQuestion | null) {
  if (judge === null) {
    const standing: WorkspaceCell = { kind: "state", word: "no trust policy", tone: "quiet" };
    return { decisions: unjudgedDecisions(history, manifest.bundleId), standing };
  }
  const { decisions, result } = releaseStanding(history, manifest, judge);
  const open = `${result.missing} missing`;
  const waiting: WorkspaceCell =
    result.missing > 0
      ? { kind: "state", word: open, tone: "open" }
      : { kind: "state", word: "not approved", tone: "bad" };
  const standing: WorkspaceCell = result.approved ? { kind: "state", word: "approved", tone: "good" } : waiting;
  return { decisions, standing };
}

function decisionText({ approver, decision, expires, counts }: MarkedDecision): string {
  if (decision === "reject") return `${approver} rejected`;
  return `${approver} approved until ${expires.slice(0, 10)}${counts === false ? " (does not count)" : ""}`;
}

/** Which bundle left this workspace for a server or came into it, what was revoked, and when. */
export function exportSection(history: History): WorkspaceSection {
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

/** A server's state file, as the workspace knows it. */
export interface ServerSighting extends ReleaseState {
  readonly file: string;
}

/** What servers have served, from their state files. */
export function serverSection(history: History, servers: readonly ServerSighting[]): WorkspaceSection {
  const rows = servers.flatMap(({ file, last_seen: lastSeen, environments }) =>
    Object.entries(environments).map(([environment, served]) => ({ file, lastSeen, environment, ...served })),
  );
  return {
    id: "servers",
    title: "Served",
    columns: ["Server state", "Environment", "Highest release served", "Bundle", "Last seen"],
    empty: "No server has been seen: sluice ui --state FILE, the file of sluice-serve --state",
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
