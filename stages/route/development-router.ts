import { bundleFiles, bundleFolders, filesBelow } from "../../src/trust/bundle-layout.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { type RoutingPolicy, RoutingPolicySchema } from "../../src/documents/policy.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { readCalibrationDocument as parseCalibration } from "../../src/router/policy/read-calibration.js";
import { requireValidPolicy } from "../../src/router/policy/require-valid-policy.js";
import { loadRouterModels, type LoadModelsOptions, type ModelSources } from "../../src/router/load-models.js";
import { parseDocument, parseJson } from "../../src/router/parse-document.js";
import { BundleRouter } from "../../src/router/router.js";
import {
  type Stored,
  readCalibration,
  readCatalog,
  readModel,
  readPolicy,
  readRun,
} from "../../store/records/read-records.js";

/** Inputs of a router, from records or from the files of a bundle, without verification. */
export interface RouterSources {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
}

/**
 * Reads the records of a calibration.
 * @param calibrationId  calibration id or its beginning; undefined: the latest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export function sourcesOfCalibration(
  history: History,
  calibrationId: string | undefined,
): RouterSources & { readonly kept: Stored<Calibration> } {
  const kept = readCalibration(history, calibrationId);
  const run = readRun(history, kept.document.digests.run).document;
  return {
    kept,
    catalog: readCatalog(history, run.catalog_sha256).document,
    calibration: kept.document,
    policy: readPolicy(history, run.policy_sha256).document,
    models: {
      retrieverFiles: readModel(history, run.retriever_sha256).files,
      verifierFiles: readModel(history, run.verifier_sha256).files,
    },
  };
}

/**
 * Reads the parts of an exported bundle; signatures and approvals are not checked.
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_MISSING, and the errors of `readDirectory` and of parsing
 */
export async function sourcesOfBundle(directory: string): Promise<RouterSources> {
  const { files } = await readDirectory(directory);
  const bytesOf = (path: string): Buffer => {
    const bytes = files.get(path);
    if (bytes !== undefined) return bytes;
    throw new SluiceError("FILE_MISSING", `${directory}: ${path} is missing`, {
      hint: say`Use the folder of an exported bundle: ${command`sluice bundle export`}.`,
    });
  };
  const { calibration: file } = bundleFiles;
  const policy = parseDocument(RoutingPolicySchema, bytesOf(bundleFiles.policy), bundleFiles.policy);
  return {
    catalog: parseCatalog(bytesOf(bundleFiles.catalog), bundleFiles.catalog),
    calibration: parseCalibration(parseJson(bytesOf(file), file), file),
    policy: requireValidPolicy(policy, bundleFiles.policy),
    models: {
      retrieverFiles: filesBelow(files, bundleFolders.retriever),
      verifierFiles: filesBelow(files, bundleFolders.verifier),
    },
  };
}

export interface DevelopmentRouterOptions extends LoadModelsOptions {
  /** Processor time of this process in milliseconds. Default: the pattern budget counts wall-clock time. */
  readonly workedMs?: () => number;
}

/**
 * Creates the serving router in development mode.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID, INTERRUPTED
 */
export async function developmentRouter(
  sources: RouterSources,
  { workedMs, ...options }: DevelopmentRouterOptions,
): Promise<BundleRouter> {
  const { catalog, calibration, policy } = sources;
  return new BundleRouter({
    catalog,
    calibration,
    policy,
    models: await loadRouterModels({ catalog, policy }, sources.models, options),
    runtimeMode: "development",
    bundleId: null,
    integrityProblems: () => [],
    now: () => performance.now(),
    workedMs,
  });
}
