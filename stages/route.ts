import { existsSync, statSync } from "node:fs";
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
import type { Reference } from "../store/records/read-records.js";
import { stepOf } from "../store/step-progress.js";
import { processorMs } from "../src/inference/processor-time.js";
import { usualThreads } from "../src/inference/usual-threads.js";
import { catalogOf, withHistory } from "../store/records/session.js";
import type { OpenEmbeddingCache } from "../src/router/retrieval/embedding-cache.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { projectHere } from "../store/project/project-file.js";
import { trialLines, trialSources } from "./project/trial-sources.js";
import { latestEntry } from "../store/history/read.js";

export interface OpenRouterOptions {
  /** Folder of an exported bundle; signatures are not checked. Default: the records of the workspace. */
  readonly bundle?: string | undefined;
  /** Calibration id or its beginning. Default: the latest. */
  readonly calibration?: string | undefined;
  /** Catalog to use instead of the calibrated one. */
  readonly catalog?: Reference | undefined;
  /**
   * Settings for a server: more requests may queue, progress is shown, and patterns have a budget of processor time.
   */
  readonly server?: { readonly threads: number | undefined };
  /** Called before the models are loaded. */
  readonly onSources?: (chosen: ChosenSources) => void;
}

export interface ChosenSources {
  readonly sources: RouterSources;
  /** Id of the calibration; null for a bundle, or for a trial in a project without a calibration. */
  readonly calibrationId: string | null;
  /** Sentences about the limitations of a trial; empty otherwise. */
  readonly trial: readonly string[];
  /** Whether the thresholds were certified for a different catalog. */
  readonly isOtherCatalog: boolean;
}

/** A router in development mode, which the caller must close. */
export interface OpenedRouter extends Omit<ChosenSources, "sources"> {
  readonly router: BundleRouter;
  readonly catalog: Catalog;
}

/** Maximum number of queued model runs, for a single caller and for a server. */
const queueLimits = { one: 64, server: 512 };

/**
 * Opens a router over the records of the workspace or a bundle in development mode, without verification.
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
 * The records of a calibration, by default the latest; in a project without a calibration, a trial of its catalog.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, and the errors of `trialSources`
 */
async function ownSources(
  context: WorkbenchContext,
  calibration: string | undefined,
): Promise<Omit<ChosenSources, "isOtherCatalog">> {
  const project = calibration === undefined && (await latestCalibration(context)) === null ? await projectHere() : null;
  if (project !== null) {
    return { sources: await trialSources(project), calibrationId: null, trial: trialLines };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { kept, ...sources } = sourcesOfCalibration(history, calibration);
    return { sources, calibrationId: kept.sha256, trial: [] };
  });
}

/** Id of the latest calibration; null if there is none. */
async function latestCalibration(context: WorkbenchContext): Promise<string | null> {
  if (!existsSync(context.workspace.history)) return null;
  return withHistory(context, "read", async ({ history }) => latestEntry(history, "calibration")?.sha256 ?? null);
}

/**
 * A function that returns the id of a calibration that was made since the last call, or null. It reads the history only
 * after its files changed.
 * @param served  id of the calibration that is known; null: none
 */
export function laterCalibration(context: WorkbenchContext, served: string | null): () => Promise<string | null> {
  const { history } = context.workspace;
  const changedAt = (): string =>
    [history, `${history}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(" ");
  let seen = changedAt();
  let known = served;
  return async () => {
    const now = changedAt();
    if (now === seen) return null;
    seen = now;
    const latest = await latestCalibration(context);
    if (latest === known) return null;
    known = latest;
    return latest;
  };
}

/** Embedding cache of the workspace; none if the workspace does not exist. */
const cacheOf = ({ workspace }: WorkbenchContext): { readonly cache?: OpenEmbeddingCache } =>
  existsSync(workspace.history) ? { cache: embeddingCacheFolder(workspace.vectors) } : {};

/** The catalog that a server of this workspace uses: the exported bundle's, otherwise the latest in the history. */
export async function servedCatalog(context: WorkbenchContext): Promise<Catalog> {
  const exported = join(context.workspace.bundle, bundleFiles.catalog);
  if (existsSync(exported)) return (await loadCatalog(exported)).catalog;
  return withHistory(context, "read", async ({ history }) => (await catalogOf(history, undefined)).document);
}
