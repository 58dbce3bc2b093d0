import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { type RouterSources, sourcesOfCalibration } from "../route/development-router.js";
import { catalogOf, withHistory } from "../../store/records/with-history.js";
import type { OpenEmbeddingCache } from "../../src/router/retrieval/embedding-cache.js";
import { embeddingCacheFolder } from "../../store/embedding-cache-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { projectHere } from "../../store/project/project-file.js";
import { trialSources } from "../project/trial-sources.js";
import { latestEntry } from "../../store/history/read.js";

/** What a development router is made of. */
export interface ChosenSources {
  readonly sources: RouterSources;
  /** Record of the calibration; null in a project that has none yet, which is tried without any promise. */
  readonly calibrationId: string | null;
}

/**
 * The records behind a calibration, the latest when none is named; in a project without one, a trial of its catalog.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, those of `trialSources`
 */
export async function routerSources(
  context: WorkbenchContext,
  calibration: string | undefined,
): Promise<ChosenSources> {
  const project = calibration === undefined && !(await hasCalibration(context)) ? await projectHere() : null;
  if (project !== null) {
    return { sources: await trialSources(project), calibrationId: null };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { kept, ...sources } = sourcesOfCalibration(history, calibration);
    return { sources, calibrationId: kept.sha256 };
  });
}

async function hasCalibration(context: WorkbenchContext): Promise<boolean> {
  if (!existsSync(context.workspace.history)) return false;
  return withHistory(context, "read", async ({ history }) => {
    return latestEntry(history, "calibration") !== undefined;
  });
}

/** Vectors of the texts of a workspace that exists; nothing is kept where there is none. */
export const cacheOf = ({ workspace }: WorkbenchContext): { readonly cache?: OpenEmbeddingCache } =>
  existsSync(workspace.history) ? { cache: embeddingCacheFolder(workspace.vectors) } : {};

/** The catalog that a server of this workspace has: that of the exported bundle, else the latest of the history. */
export async function servedCatalog(context: WorkbenchContext): Promise<Catalog> {
  const exported = join(context.workspace.bundle, bundleFiles.catalog);
  if (existsSync(exported)) return (await loadCatalog(exported)).catalog;
  return withHistory(context, "read", async ({ history }) => (await catalogOf(history, undefined)).document);
}
