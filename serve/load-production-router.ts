import { readStoredFile } from "../src/base/files.js";
import type { ListIdentity } from "../src/trust/verify/revocations.js";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { latestClock } from "../src/trust/release-state.js";
import { type FileMark, readRevocationFile } from "../src/trust/revocation-file.js";
import { demonstrationEnvironment, type Manifest } from "../src/documents/signed.js";
import type { Router } from "../src/documents/router.js";
import { SluiceError } from "../src/base/error.js";
import { usualThreads } from "../src/inference/usual-threads.js";
import type { BackendFailure } from "../src/router/router.js";
import {
  type BundleExpectations,
  requireExpected,
  type StartupReason,
  startupRefusal,
} from "./startup/expectations.js";
import { seenKeeper, type StateSteps } from "./seen-keeper.js";
import { observeRouter } from "../src/router/telemetry/observe-router.js";
import { emitSafely, silentSink, type TelemetrySink } from "../src/router/telemetry/sink.js";
import { hasMethods, requireArgument, requireOptions } from "../src/base/require-argument.js";

/** Names of the parts inside a bundle directory. */
export interface BundleParts {
  readonly manifest: string;
  readonly catalog: string;
  readonly calibration: string;
  readonly policy: string;
  readonly golden: string;
  readonly retriever: string;
  readonly verifier: string;
}

/** A bundle and the inputs to its verification. */
interface VerifyQuestion {
  readonly directory: string;
  readonly trustPolicyBytes: Uint8Array;
  readonly environment: string;
  readonly revocationBytes: Uint8Array | null;
  readonly now: Date;
}

/** Steps of loading a bundle. `V` is a verified bundle, `R` a bundle verified again while it serves. */
export interface BundleSteps<V extends { readonly manifest: Manifest }, R = V> extends StateSteps {
  readonly parts: BundleParts;
  /** Verifies files, signatures and approvals offline. */
  readonly verify: (question: VerifyQuestion) => Promise<V>;
  /** The same for a bundle whose contents are already in use. */
  readonly verifyAgain: (question: VerifyQuestion) => Promise<R>;
  /** Collects every startup check that the bundle fails, after a failed start. */
  readonly findReasons: (
    question: VerifyQuestion & { readonly expectations: BundleExpectations; readonly workers: number },
  ) => Promise<readonly StartupReason[]>;
  /** Compares the bundle with the highest values in a state file, and returns a function that writes the new ones. */
  readonly checkState: (path: string, verified: V) => Promise<() => Promise<void>>;
  /** Builds and warms the router from the verified bytes. */
  readonly createRouter: (
    verified: V,
    options: {
      readonly workers: number;
      readonly clock: () => Date;
      /** Clock for expiry dates; never runs backwards. */
      readonly latest: () => Date;
      /** Verifies the files on disk again, as of the time of the call. */
      readonly verifyAgain: () => Promise<R>;
      /** Called with the code of each backend failure. */
      readonly onBackendError: (failure: BackendFailure) => void;
      /** The revocation list as of the verification of the bundle. */
      readonly revocationFile: { readonly path: string; readonly mark: FileMark } | null;
      /** Receives each revocation list that is read while the bundle serves. */
      readonly onRevocations: (list: ListIdentity) => void;
    },
  ) => Promise<Router>;
}

interface CommonOptions {
  readonly telemetry?: TelemetrySink;
  /** Default "production". */
  readonly environment?: string;
  /** Whether bundles of the environment `demonstration` may be loaded. Default false. */
  readonly allowDemonstration?: boolean;
  /** File of the revocation list; it is watched while the bundle serves. */
  readonly revocations?: string;
  /** File with the highest release, policy, list and time seen so far; lower ones are refused. */
  readonly state?: string;
  /** Number of scoring threads. Default 2, or 1 on a machine with a single core. */
  readonly workers?: number;
  readonly clock?: () => Date;
  /** Like `clock`, but never runs backwards; the bundles of a server share it. Default: one per bundle. */
  readonly latest?: () => Date;
}

export interface LoadBundleOptions extends CommonOptions {
  /** Directory of an exported bundle. */
  readonly bundle: string;
  /** File of the trust policy pinned by this deployment. */
  readonly trust: string;
  readonly expectations?: BundleExpectations;
}

/** Paths of one exported bundle. Each must be the part of that name next to the manifest. */
export interface ProductionRouterOptions extends CommonOptions {
  readonly catalogPath: string;
  readonly calibrationPath: string;
  readonly artifactManifestPath: string;
  /** Local directory. */
  readonly retrieverModel: string;
  /** Local directory. */
  readonly verifierModel: string;
  readonly trustPolicyPath: string;
  readonly policyPath?: string;
  readonly goldenPath?: string;
  /** Must equal the value in the manifest. */
  readonly topK?: number;
  /** Must equal the value in the manifest. Default false. */
  readonly allowExactEventRoutes?: boolean;
}

/** A bundle that is ready to serve. */
export interface LoadedBundle {
  readonly router: Router;
  /** Records in the state file, if there is one, that the bundle serves. @throws {SluiceError} WRITE_FAILED */
  readonly keepState: () => Promise<void>;
}

export interface BundleLoader {
  /**
   * Loads a bundle without updating the state file. @throws {SluiceError} the code of any startup check; nothing is
   * left running
   */
  loadBundle(options: LoadBundleOptions): Promise<LoadedBundle>;
  /** Loads a router, then updates the state file. @throws {SluiceError} the code of any startup check */
  loadProductionRouter(options: ProductionRouterOptions): Promise<Router>;
}

/** Creates the two functions that load an approved bundle, from the steps that verify and build it. */
export function createBundleLoader<V extends { readonly manifest: Manifest }, R>(
  steps: BundleSteps<V, R>,
): BundleLoader {
  const load = (options: LoadBundleOptions): Promise<LoadedBundle> => loadOrExplain(steps, options);
  return {
    loadBundle: load,
    async loadProductionRouter(options) {
      const bundle = await bundleDirectory(steps.parts, options);
      const { topK, allowExactEventRoutes = false } = options;
      const expectations = topK === undefined ? { allowExactEventRoutes } : { topK, allowExactEventRoutes };
      return kept(await load({ ...options, bundle, trust: options.trustPolicyPath, expectations }));
    },
  };
}

async function kept({ router, keepState }: LoadedBundle): Promise<Router> {
  try {
    await keepState();
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}

/** Loads a bundle. A failed start also updates the state file, and reports every failed check in one error. */
async function loadOrExplain<V extends { readonly manifest: Manifest }, R>(
  steps: BundleSteps<V, R>,
  options: LoadBundleOptions,
): Promise<LoadedBundle> {
  requireNoDemonstration(options);
  try {
    return await loadExplained(steps, options);
  } catch (thrown) {
    if (options.state !== undefined) await raiseAtRefusal(steps, options.state, options);
    throw thrown;
  }
}

/** @throws {SluiceError} PRODUCTION_CONFIGURATION for a demonstration without its flag */
function requireNoDemonstration({ environment, allowDemonstration = false }: LoadBundleOptions): void {
  if (environment !== demonstrationEnvironment || allowDemonstration) return;
  const text = "the bundle is approved for the environment demonstration only, with keys that anybody can open";
  throw new SluiceError("PRODUCTION_CONFIGURATION", text, {
    hint: "To try Sluice: --allow-demonstration, or allowDemonstration in process. To serve others: approve the bundle for production.",
  });
}

/** A failure to write the state file must not hide why the bundle was refused. */
async function raiseAtRefusal(
  steps: StateSteps,
  state: string,
  { trust, revocations, clock = () => new Date() }: LoadBundleOptions,
): Promise<void> {
  const [policy, list] = await Promise.all([
    readTrustPolicy(trust).catch(() => null),
    readRevocations(revocations).catch(() => null),
  ]);
  const now = clock();
  const seen = policy === null || list === null ? null : steps.verifiedList(policy, list.bytes, now);
  await steps.raiseSeen(state, { now, list: seen }).catch(() => undefined);
}

async function loadExplained<V extends { readonly manifest: Manifest }, R>(
  steps: BundleSteps<V, R>,
  options: LoadBundleOptions,
): Promise<LoadedBundle> {
  const clock = options.clock ?? (() => new Date());
  const trustPolicyBytes = await readTrustPolicy(options.trust);
  try {
    return await loadWith(steps, options, trustPolicyBytes);
  } catch (first) {
    if (!(first instanceof SluiceError)) throw first;
    const revocationBytes = (await readRevocations(options.revocations))?.bytes ?? null;
    const { bundle: directory, environment = "production", expectations = {}, workers = usualThreads() } = options;
    const question = { directory, trustPolicyBytes, environment, revocationBytes, now: clock() };
    throw startupRefusal(first, await steps.findReasons({ ...question, expectations, workers }));
  }
}

async function loadWith<V extends { readonly manifest: Manifest }, R>(
  steps: BundleSteps<V, R>,
  options: LoadBundleOptions,
  trustPolicyBytes: Uint8Array,
): Promise<LoadedBundle> {
  const clock = options.clock ?? (() => new Date());
  const environment = options.environment ?? "production";
  const readList = (): Promise<RevocationFile | null> => readRevocations(options.revocations);
  const question = (list: RevocationFile | null): VerifyQuestion => {
    const revocationBytes = list?.bytes ?? null;
    return { directory: options.bundle, trustPolicyBytes, environment, revocationBytes, now: clock() };
  };
  const list = await readList();
  const verified = await steps.verify(question(list));
  requireExpected(verified.manifest, options.expectations ?? {});
  const keepState = await stateKeeper(steps, options.state, verified);
  const { telemetry = silentSink, workers = usualThreads(), latest = latestClock(clock) } = options;
  const keeper = options.state === undefined ? null : seenKeeper(steps, options.state, latest, telemetry);
  const created = await steps.createRouter(verified, {
    workers,
    clock,
    latest,
    verifyAgain: async () => steps.verifyAgain(question(await readList())),
    revocationFile: list,
    onRevocations: (read) => keeper?.sawList(read),
    onBackendError: (failure) => emitSafely(telemetry, { event: "sluice.backend", ...failure }),
  });
  const router = keeper === null ? created : keeper.keepWhileOpen(created);
  return { router: options.telemetry === undefined ? router : observeRouter(router, telemetry), keepState };
}

interface RevocationFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mark: FileMark;
}

async function readRevocations(path: string | undefined): Promise<RevocationFile | null> {
  return path === undefined ? null : { path, ...(await readRevocationFile(path)) };
}

/**
 * Compares the bundle with those that served before, and returns a function that records it. Does nothing without a
 * state file.
 */
async function stateKeeper<V extends { readonly manifest: Manifest }, R>(
  steps: BundleSteps<V, R>,
  path: string | undefined,
  verified: V,
): Promise<() => Promise<void>> {
  return path === undefined ? () => Promise.resolve() : steps.checkState(path, verified);
}

async function readTrustPolicy(path: string): Promise<Uint8Array> {
  try {
    return await readStoredFile(path, { followLinks: true });
  } catch (cause) {
    const missing = cause instanceof SluiceError && cause.code === "FILE_NOT_FOUND";
    throw new SluiceError(missing ? "FILE_NOT_FOUND" : "READ_FAILED", `${path}: the trust policy cannot be read`, {
      hint: "Use the trust policy file of this deployment: --trust FILE",
      cause,
    });
  }
}

/** The directory of the manifest, provided that every path names the corresponding part of the bundle. */
async function bundleDirectory(parts: BundleParts, options: ProductionRouterOptions): Promise<string> {
  const directory = dirname(options.artifactManifestPath);
  const named: readonly (readonly [string, string, string | undefined])[] = [
    ["artifactManifestPath", parts.manifest, options.artifactManifestPath],
    ["catalogPath", parts.catalog, options.catalogPath],
    ["calibrationPath", parts.calibration, options.calibrationPath],
    ["policyPath", parts.policy, options.policyPath],
    ["goldenPath", parts.golden, options.goldenPath],
    ["retrieverModel", parts.retriever, options.retrieverModel],
    ["verifierModel", parts.verifier, options.verifierModel],
  ];
  const wrong: string[] = [];
  for (const [option, part, path] of named) {
    if (path === undefined) continue;
    const expected = join(directory, part);
    const same = (await resolved(path, option)) === (await resolved(expected, option));
    if (!same) wrong.push(`${option}: found ${path}, expected ${expected} of the bundle`);
  }
  if (wrong.length === 0) return directory;
  throw new SluiceError("PRODUCTION_CONFIGURATION", wrong.join("; "), {
    hint: "Use the paths of one exported bundle: sluice bundle export.",
  });
}

async function resolved(path: string, option: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new SluiceError("FILE_NOT_FOUND", `${option}: ${path} does not exist`, {
      hint: "Use the local paths of an exported bundle.",
      cause,
    });
  }
}

const isPath = (value: unknown): boolean => typeof value === "string" && value !== "";
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1;
const path = ["a path", isPath] as const;
const count = ["a whole number of at least 1", isCount] as const;

const members = {
  catalogPath: path,
  calibrationPath: path,
  artifactManifestPath: path,
  retrieverModel: path,
  verifierModel: path,
  trustPolicyPath: path,
  policyPath: path,
  goldenPath: path,
  revocations: path,
  state: path,
  environment: ["a name", isPath],
  topK: count,
  workers: count,
  allowExactEventRoutes: ["a boolean", (value) => typeof value === "boolean"],
  allowDemonstration: ["a boolean", (value) => typeof value === "boolean"],
  telemetry: ["a sink with a method emit", (value) => hasMethods(value, ["emit"])],
  clock: ["a function that returns a Date", (value) => typeof value === "function"],
  latest: ["a function that returns a Date", (value) => typeof value === "function"],
} as const satisfies Record<keyof ProductionRouterOptions, readonly [string, (value: unknown) => boolean]>;

const required = [
  "artifactManifestPath",
  "catalogPath",
  "calibrationPath",
  "retrieverModel",
  "verifierModel",
  "trustPolicyPath",
] as const satisfies readonly (keyof ProductionRouterOptions)[];

/**
 * @throws {SluiceError} ARGUMENT_INVALID if a member is missing, unknown or of the wrong type
 */
export function requireProductionRouterOptions(options: ProductionRouterOptions): void {
  requireOptions("loadProductionRouter: options", options, members);
  for (const name of required) {
    requireArgument(options[name] !== undefined, `loadProductionRouter: options.${name}`, "a path", undefined);
  }
}
