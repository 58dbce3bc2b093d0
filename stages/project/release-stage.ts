import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { findEntry, latestEntry } from "../../store/history/read.js";
import { type Session, withHistory } from "../../store/records/session.js";
import { type ProjectRelease, readProjectRelease } from "./project-release.js";
import { manifestOf, readIfThere } from "../../release/read-signed.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { ProjectPeople } from "../../store/project/people.js";

/** The bundle in the folder from which a server starts. */
export interface ServingBundle {
  readonly directory: string;
  /** null: the bundle is not in this history. */
  readonly bundle_id: string | null;
  readonly bundle_version: string | null;
}

/** Progress of a project towards production. */
export interface ReleaseStage {
  readonly producer: string;
  readonly approvers: readonly string[];
  /** Whether the producer has signed the bundle of the current calibration. */
  readonly signed: boolean;
  /** The latest signed bundle, possibly of an earlier calibration; null if there is none. */
  readonly latest: ProjectRelease | null;
  /** The exported bundle; null: nothing has been exported. */
  readonly serving: ServingBundle | null;
}

/**
 * State of a project's release; changes nothing.
 * @param signed  whether the release step of the project is up to date
 */
export async function readReleaseStage(
  context: WorkbenchContext,
  { producer, approvers }: ProjectPeople,
  signed: boolean,
): Promise<ReleaseStage> {
  const nothing = { producer, approvers, signed: false, latest: null, serving: null };
  if (!existsSync(context.workspace.history)) return nothing;
  return withHistory(context, "read", async (session) => {
    const entry = latestEntry(session.history, "manifest");
    const manifest = entry === undefined ? null : manifestOf(session.history, entry.sha256);
    const latest = manifest === null ? null : await readProjectRelease(session, manifest, { producer, approvers });
    return { producer, approvers, signed, latest, serving: await servingBundle(session) };
  });
}

async function servingBundle({ context, history }: Session): Promise<ServingBundle | null> {
  const { bundle: directory } = context.workspace;
  const bytes = await readIfThere(join(directory, bundleFiles.manifest));
  if (bytes === null) return null;
  const sha256 = sha256Hex(bytes);
  if (findEntry(history, "manifest", sha256) === undefined) {
    return { directory, bundle_id: null, bundle_version: null };
  }
  const { bundleId, predicate } = manifestOf(history, sha256);
  return { directory, bundle_id: bundleId, bundle_version: predicate.bundle_version };
}
