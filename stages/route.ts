import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleFiles } from "../src/trust/bundle-layout.js";
import { loadCatalog } from "../src/router/catalog/load.js";
import type { Catalog } from "../src/documents/catalog.js";
import {
  developmentRouter,
  type RouterSources,
  sourcesOfBundle,
  sourcesOfCalibration,
} from "./route/development-router.js";
import type { BundleRouter } from "../src/router/router.js";
import type { Reference } from "../store/records/reference.js";
import { stepOf } from "../store/step-progress.js";
import { processorMs } from "../src/inference/processor-time.js";
import { usualThreads } from "../src/inference/usual-threads.js";
import { catalogOf, withHistory } from "../store/records/with-history.js";
import type { OpenEmbeddingCache } from "../src/router/retrieval/embedding-cache.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { projectHere } from "../store/project/project-file.js";
import { trialLines, trialSources } from "./project/trial-sources.js";
import { latestEntry } from "../store/history/read.js";

/** What decides, and for how long a router is kept. */
export interface OpenRouterOptions {
  /** Folder of an exported bundle, whose signatures are not checked. Default: the records of the workspace. */
  readonly bundle?: string | undefined;
  /** Id of the calibration or its beginning. Default: the latest. */
  readonly calibration?: string | undefined;
  /** Catalog in place of the one that was calibrated. */
  readonly catalog?: Reference | undefined;
  /** Settings of a server: more requests may wait, progress is shown, patterns have a budget of processor time. */
  readonly server?: { readonly threads: number | undefined };
  /** Called before the models are loaded. */
  readonly onSources?: (chosen: ChosenSources) => void;
}

/** What a development router is made of. */
export interface ChosenSources {
  readonly sources: RouterSources;
  /** Record of the calibration; null for a bundle, and in a project that has none yet, which is tried without any promise. */
  readonly calibrationId: string | null;
  /** What a trial cannot promise, in words; empty unless it is one. */
  readonly trial: readonly string[];
  /** The thresholds were certified for another catalog. */
  readonly isOtherCatalog: boolean;
}

/** A router in development mode; close it. */
export interface OpenedRouter extends Omit<ChosenSources, "sources"> {
  readonly router: BundleRouter;
  readonly catalog: Catalog;
}

/** Model runs that may wait at once: of one caller, and of the callers of a server. */
const queueLimits = { one: 64, server: 512 };

/**
 * A router over the records of the workspace or over a bundle, in development mode: nothing is verified.
 *
 * @example const { router } = await openRouter(workbench);
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_MISSING, MODEL_INVALID, CATALOG_INVALID, INTERRUPTED
 */
export async function openRouter(workbench: WorkbenchContext, options: OpenRouterOptions = {}): Promise<OpenedRouter> {
  const { server, onSources } = options;
  const chosen = await chosenSources(workbench, options);
  onSources?.(chosen);
  const { signal, progress } = workbench;
  const settings =
    server === undefined
      ? { workers: 1, queueLimit: queueLimits.one }
      : {
          workedMs: processorMs,
          workers: Math.max(1, server.threads ?? usualThreads()),
          queueLimit: queueLimits.server,
          signal,
          onProgress: stepOf(progress, "index"),
        };
  const { sources, ...about } = chosen;
  const router = await developmentRouter(sources, { ...settings, ...cacheOf(workbench) });
  if (server !== undefined) progress.done();
  return { ...about, router, catalog: sources.catalog };
}

async function chosenSources(
  workbench: WorkbenchContext,
  { bundle, calibration, catalog: named }: OpenRouterOptions,
): Promise<ChosenSources> {
  const own =
    bundle === undefined
      ? await ownSources(workbench, calibration)
      : { sources: await sourcesOfBundle(bundle), calibrationId: null, trial: [] };
  if (named === undefined) return { ...own, isOtherCatalog: false };
  const catalog = await catalogNamed(workbench, named);
  if (catalog.sha256 === own.sources.catalog.sha256) return { ...own, isOtherCatalog: false };
  return { ...own, sources: { ...own.sources, catalog }, isOtherCatalog: true };
}

async function catalogNamed(workbench: WorkbenchContext, named: Reference): Promise<Catalog> {
  if (named.kind === "file") return (await loadCatalog(named.path)).catalog;
  return withHistory(workbench, "read", async ({ history }) => (await catalogOf(history, named)).document);
}

/**
 * The records behind a calibration, the latest when none is named; in a project without one, a trial of its catalog.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, those of `trialSources`
 */
async function ownSources(
  context: WorkbenchContext,
  calibration: string | undefined,
): Promise<Omit<ChosenSources, "isOtherCatalog">> {
  const project = calibration === undefined && !(await hasCalibration(context)) ? await projectHere() : null;
  if (project !== null) {
    return { sources: await trialSources(project), calibrationId: null, trial: trialLines };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { kept, ...sources } = sourcesOfCalibration(history, calibration);
    return { sources, calibrationId: kept.sha256, trial: [] };
  });
}

async function hasCalibration(context: WorkbenchContext): Promise<boolean> {
  if (!existsSync(context.workspace.history)) return false;
  return withHistory(context, "read", async ({ history }) => {
    return latestEntry(history, "calibration") !== undefined;
  });
}

/** Vectors of the texts of a workspace that exists; nothing is kept where there is none. */
const cacheOf = ({ workspace }: WorkbenchContext): { readonly cache?: OpenEmbeddingCache } =>
  existsSync(workspace.history) ? { cache: embeddingCacheFolder(workspace.vectors) } : {};

/** The catalog that a server of this workspace has: that of the exported bundle, else the latest of the history. */
export async function servedCatalog(context: WorkbenchContext): Promise<Catalog> {
  const exported = join(context.workspace.bundle, bundleFiles.catalog);
  if (existsSync(exported)) return (await loadCatalog(exported)).catalog;
  return withHistory(context, "read", async ({ history }) => (await catalogOf(history, undefined)).document);
}
