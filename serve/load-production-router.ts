import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { command, say, SluiceError } from "../src/base/error.js";
import { readStoredFile } from "../src/base/files.js";
import { argument, type OptionsOf, requiredArgument, resolveOptions } from "../src/base/options.js";
import { hasMethods, requireArgument } from "../src/base/require-argument.js";
import type { Router } from "../src/documents/router.js";
import { demonstrationEnvironment } from "../src/documents/signed.js";
import { processorMs } from "../src/inference/processor-time.js";
import { usualThreads } from "../src/inference/usual-threads.js";
import { createBundleRouter } from "../src/router/bundle-router.js";
import { observeRouter } from "../src/router/telemetry/observe-router.js";
import { emitSafely, silentSink, type TelemetrySink } from "../src/router/telemetry/sink.js";
import { bundleFiles, bundleFolders } from "../src/trust/bundle-layout.js";
import { checkReleaseState, latestClock, raiseSeen, verifiedList } from "../src/trust/release-state.js";
import { type FileMark, readRevocationFile } from "../src/trust/revocation-file.js";
import { type ReverifiedBundle, verifyAgainInThread, verifyInThread } from "../src/trust/verify/verification-thread.js";
import type { VerifiedBundle, VerifyBundleOptions } from "../src/trust/verify/verify-bundle.js";
import { seenKeeper } from "./seen-keeper.js";
import {
  type BundleExpectations,
  requireExpected,
  type StartupReason,
  startupRefusal,
} from "./startup/expectations.js";
import { findReasonsInThread, type StartupQuestion } from "./startup/find-startup-reasons.js";

export interface BundleVerification {
  /** Verifies files, signatures and approvals offline. */
  readonly verify: (question: VerifyBundleOptions) => Promise<VerifiedBundle>;
  /** The same for a bundle whose contents are already in use. */
  readonly verifyAgain: (question: VerifyBundleOptions) => Promise<ReverifiedBundle>;
  /** Collects every startup check that the bundle fails, after a failed start. */
  readonly findReasons: (question: StartupQuestion) => Promise<readonly StartupReason[]>;
}

/** In threads, so that the server answers requests while it verifies another bundle. */
const inThreads: BundleVerification = {
  verify: verifyInThread,
  verifyAgain: verifyAgainInThread,
  findReasons: findReasonsInThread,
};

/** Options of a production router, however its bundle is named. */
const commonOptions = {
  telemetry: argument<TelemetrySink>("object"),
  /** Default "production". */
  environment: argument<string>("string"),
  /** Whether bundles of the environment `demonstration` may be loaded. Default false. */
  allowDemonstration: argument<boolean>("boolean"),
  /** File of the revocation list; it is watched while the bundle serves. */
  revocations: argument<string>("string"),
  /** File with the highest release, policy, list and time seen so far; lower ones are refused. */
  state: argument<string>("string"),
  /** Number of scoring threads. Default 2, or 1 on a machine with a single core. */
  workers: argument<number>("number"),
  clock: argument<() => Date>("function"),
  /** Like `clock`, but never runs backwards; the bundles of a server share it. Default: one per bundle. */
  latest: argument<() => Date>("function"),
} as const;

export interface LoadBundleOptions extends OptionsOf<typeof commonOptions> {
  readonly bundle: string;
  /** File of the trust policy pinned by this deployment. */
  readonly trust: string;
  readonly expectations?: BundleExpectations;
}

const productionRouterOptions = {
  ...commonOptions,
  catalogPath: requiredArgument<string>("string"),
  calibrationPath: requiredArgument<string>("string"),
  artifactManifestPath: requiredArgument<string>("string"),
  /** Local directory. */
  retrieverModel: requiredArgument<string>("string"),
  /** Local directory. */
  verifierModel: requiredArgument<string>("string"),
  trustPolicyPath: requiredArgument<string>("string"),
  policyPath: argument<string>("string"),
  goldenPath: argument<string>("string"),
  /** Must equal the value in the manifest. */
  topK: argument<number>("number"),
  /** Must equal the value in the manifest. Default false. */
  allowExactEventRoutes: argument<boolean>("boolean"),
} as const;

/** Paths of one exported bundle. Each must be the part of that name next to the manifest. */
export type ProductionRouterOptions = OptionsOf<typeof productionRouterOptions>;

export interface LoadedBundle {
  readonly router: Router;
  /** Records in the state file, if there is one, that the bundle serves. @throws {SluiceError} WRITE_FAILED */
  readonly keepState: () => Promise<void>;
}

/**
 * Loads a router from the files of one approved bundle, then updates the state file.
 * @throws {SluiceError} the code of any startup check; ARGUMENT_INVALID
 */
export async function loadProductionRouter(options: ProductionRouterOptions): Promise<Router> {
  const given = resolveOptions("loadProductionRouter", productionRouterOptions, options);
  const sink = given.telemetry;
  requireArgument(sink === undefined || hasMethods(sink, ["emit"]), "options.telemetry", "a sink with emit", sink);
  const bundle = await bundleDirectory(given);
  const { topK, allowExactEventRoutes = false } = given;
  const expectations = topK === undefined ? { allowExactEventRoutes } : { topK, allowExactEventRoutes };
  const { router, keepState } = await loadBundle({ ...given, bundle, trust: given.trustPolicyPath, expectations });
  try {
    await keepState();
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}

/**
 * Loads a bundle without updating the state file. A failed start does update it, and reports every failed check in one
 * error.
 * @throws {SluiceError} the code of any startup check; nothing is left running
 */
export async function loadBundle(
  options: LoadBundleOptions,
  verification: BundleVerification = inThreads,
): Promise<LoadedBundle> {
  requireNoDemonstration(options);
  try {
    return await loadExplained(options, verification);
  } catch (thrown) {
    if (options.state !== undefined) await raiseAtRefusal(options.state, options);
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
  state: string,
  { trust, revocations, clock = () => new Date() }: LoadBundleOptions,
): Promise<void> {
  const [policy, list] = await Promise.all([
    readTrustPolicy(trust).catch(() => null),
    readRevocations(revocations).catch(() => null),
  ]);
  const now = clock();
  const seen = policy === null || list === null ? null : verifiedList(policy, list.bytes, now);
  await raiseSeen(state, { now, list: seen }).catch(() => undefined);
}

async function loadExplained(options: LoadBundleOptions, verification: BundleVerification): Promise<LoadedBundle> {
  const clock = options.clock ?? (() => new Date());
  const trustPolicyBytes = await readTrustPolicy(options.trust);
  try {
    return await loadWith(options, verification, trustPolicyBytes);
  } catch (first) {
    if (!(first instanceof SluiceError)) throw first;
    const revocationBytes = (await readRevocations(options.revocations))?.bytes ?? null;
    const { bundle: directory, environment = "production", expectations = {}, workers = usualThreads() } = options;
    const question = { directory, trustPolicyBytes, environment, revocationBytes, now: clock() };
    throw startupRefusal(first, await verification.findReasons({ ...question, expectations, workers }));
  }
}

async function loadWith(
  options: LoadBundleOptions,
  { verify, verifyAgain }: BundleVerification,
  trustPolicyBytes: Uint8Array,
): Promise<LoadedBundle> {
  const clock = options.clock ?? (() => new Date());
  const { environment = "production", state, telemetry = silentSink } = options;
  const readList = (): Promise<RevocationFile | null> => readRevocations(options.revocations);
  const question = (list: RevocationFile | null): VerifyBundleOptions => {
    const revocationBytes = list?.bytes ?? null;
    return { directory: options.bundle, trustPolicyBytes, environment, revocationBytes, now: clock() };
  };
  const list = await readList();
  const verified = await verify(question(list));
  requireExpected(verified.manifest, options.expectations ?? {});
  const keepState = state === undefined ? () => Promise.resolve() : await checkReleaseState(state, verified);
  const { workers = usualThreads(), latest = latestClock(clock) } = options;
  const keeper = state === undefined ? null : seenKeeper(state, latest, telemetry);
  const created = await createBundleRouter(verified, {
    workers,
    clock,
    latest,
    verifyAgain: async () => verifyAgain(question(await readList())),
    revocationFile: list,
    onRevocations: (read) => keeper?.sawList(read),
    onBackendError: (failure) => emitSafely(telemetry, { event: "sluice.backend", ...failure }),
    now: () => performance.now(),
    workedMs: processorMs,
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
async function bundleDirectory(options: ProductionRouterOptions): Promise<string> {
  const directory = dirname(options.artifactManifestPath);
  const named: readonly (readonly [string, string, string | undefined])[] = [
    ["artifactManifestPath", bundleFiles.manifest, options.artifactManifestPath],
    ["catalogPath", bundleFiles.catalog, options.catalogPath],
    ["calibrationPath", bundleFiles.calibration, options.calibrationPath],
    ["policyPath", bundleFiles.policy, options.policyPath],
    ["goldenPath", bundleFiles.golden, options.goldenPath],
    ["retrieverModel", bundleFolders.retriever, options.retrieverModel],
    ["verifierModel", bundleFolders.verifier, options.verifierModel],
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
    hint: say`Use the paths of one exported bundle: ${command`sluice bundle export`}.`,
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
