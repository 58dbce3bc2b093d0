import { bundleFiles, bundleFolders, filesBelow } from "../../src/artifacts/bundle-layout.js";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { parseTrustPolicy } from "../../src/artifacts/trust-policy.js";
import { openManifest } from "../../src/artifacts/verify/open-manifest.js";
import type { BundleProblem } from "../../src/artifacts/verify/problem.js";
import { type VerifyBundleOptions, verifyBundle } from "../../src/artifacts/verify/verify-bundle.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { productionProblems } from "../../src/catalog/rules.js";
import type { Calibration } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import type { Catalog } from "../../src/domain/catalog.js";
import { type RoutingPolicy, RoutingPolicySchema } from "../../src/domain/policy.js";
import type { ManifestPredicate, ManifestPredicateWire } from "../../src/domain/signed.js";
import { toSluiceError } from "../../src/errors/error.js";
import { readCalibration } from "../../src/policy/read-calibration.js";
import { requireValidPolicy } from "../../src/policy/require-valid-policy.js";
import { parseRetrieverModel } from "../../src/retrieval/load-retriever.js";
import { effectiveIdentities, identityDifferences, signedIdentities } from "../../src/routing/bundle-identities.js";
import { loadModels, type ModelSources } from "../../src/routing/load-models.js";
import { parseDocument, parseJson } from "../../src/routing/parse-document.js";
import { parseVerifierModel } from "../../src/verification/load-verifier.js";
import { type BundleExpectations, expectationProblems } from "./expectations.js";
import type { StartupReason, StartupRule } from "./startup-reason.js";

export interface StartupQuestion extends VerifyBundleOptions {
  readonly expectations: BundleExpectations;
  readonly workers: number;
}

/** What a failed start can still be told about: each part is null when it could not be read. */
interface Parts {
  readonly manifest: ManifestPredicate | null;
  readonly catalog: Catalog | null;
  readonly calibration: Calibration | null;
  readonly policy: RoutingPolicy | null;
  readonly sources: ModelSources;
}

const queueLimit = 512;
const fileCodes: ReadonlySet<string> = new Set(["HASH_MISMATCH", "FILE_MISSING", "FILE_EXTRA", "IDENTITY_MISMATCH"]);

/** Every reason why the bundle of a directory does not start in production, each rule looked at by itself. */
export async function findStartupReasons(question: StartupQuestion): Promise<readonly StartupReason[]> {
  const found: StartupReason[] = [];
  const problems = await bundleProblems(question);
  const proven = !problems.some(({ code }) => fileCodes.has(code));
  found.push(...problems.map((p) => reason(fileCodes.has(p.code) ? "identities" : "manifest", p.code, p.message)));
  const parts = await readParts(question, found);
  if (parts === null) return found;
  found.push(...capabilityReasons(parts.sources));
  found.push(...identityReasons(parts, question.expectations));
  if (parts.catalog !== null) {
    const unfit = productionProblems(parts.catalog);
    found.push(...unfit.map((problem) => reason("catalog", "CATALOG_NOT_PRODUCTION", problem)));
  }
  found.push(...(await warmUpReasons(parts, proven, question.workers)));
  return found;
}

function reason(rule: StartupRule, code: StartupReason["code"], message: string): StartupReason {
  return { rule, code, message };
}

function attempt<T>(found: StartupReason[], rule: StartupRule, read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    const { code, message } = toSluiceError(thrown);
    found.push(reason(rule, code, message));
    return null;
  }
}

async function bundleProblems(question: StartupQuestion): Promise<readonly BundleProblem[]> {
  try {
    await verifyBundle(question);
    return [];
  } catch (thrown) {
    const error = toSluiceError(thrown);
    const listed = error.details?.["problems"] as readonly BundleProblem[] | undefined;
    const { code, message } = error;
    return listed?.[0]?.file === undefined ? [{ code, file: question.directory, message }] : listed;
  }
}

async function readParts(question: StartupQuestion, found: StartupReason[]): Promise<Parts | null> {
  const content = await readDirectory(question.directory).catch(() => null);
  if (content === null) return null;
  const { files } = content;
  const { manifest, catalog, calibration, policy } = bundleFiles;
  const read = <T>(path: string, rule: StartupRule, parse: (bytes: Buffer) => T): T | null => {
    const bytes = files.get(path);
    return bytes === undefined ? null : attempt(found, rule, () => parse(bytes));
  };
  return {
    manifest: openedManifest(files.get(manifest), question),
    catalog: read(catalog, "catalog", (bytes) => parseCatalog(bytes, catalog)),
    calibration: read(calibration, "identities", (bytes) =>
      readCalibration(parseJson(bytes, calibration), calibration),
    ),
    policy: read(policy, "identities", (bytes) =>
      requireValidPolicy(toCamel(parseDocument(RoutingPolicySchema, bytes, policy)), policy),
    ),
    sources: {
      retrieverFiles: filesBelow(files, bundleFolders.retriever),
      verifierFiles: filesBelow(files, bundleFolders.verifier),
    },
  };
}

/** A manifest that does not open is told by `bundleProblems` already. */
function openedManifest(bytes: Buffer | undefined, question: StartupQuestion): ManifestPredicate | null {
  if (bytes === undefined) return null;
  try {
    const trust = parseTrustPolicy(question.trustPolicyBytes);
    const { predicate } = openManifest(bytes, trust, question.now, bundleFiles.manifest);
    return toCamel<ManifestPredicateWire>(predicate);
  } catch {
    return null;
  }
}

function capabilityReasons(sources: ModelSources): readonly StartupReason[] {
  const found: StartupReason[] = [];
  const models = [
    attempt(found, "capability", () => parseRetrieverModel(sources.retrieverFiles)),
    attempt(found, "capability", () => parseVerifierModel(sources.verifierFiles)),
  ];
  for (const model of models) {
    if (model === null || model.capability === "production") continue;
    const message = `the ${model.role} ${model.version} declares ${model.capability} capability`;
    found.push(reason("capability", "PRODUCTION_CONFIGURATION", message));
  }
  return found;
}

function identityReasons(parts: Parts, expectations: BundleExpectations): readonly StartupReason[] {
  const { manifest, catalog, calibration, policy, sources } = parts;
  if (manifest === null) return [];
  const expected = expectationProblems(manifest, expectations).map(({ rule, message }) =>
    reason(rule, "IDENTITY_MISMATCH", message),
  );
  if (catalog === null || calibration === null || policy === null) return expected;
  const effective = attempt([], "identities", () => effectiveIdentities({ catalog, calibration, policy }, sources));
  const differences = effective === null ? [] : identityDifferences(signedIdentities(manifest), effective);
  const compared = differences.map((difference) =>
    reason(difference.startsWith("exactEvents:") ? "exact_events" : "identities", "IDENTITY_MISMATCH", difference),
  );
  return [...expected, ...compared];
}

/** Models are loaded only when their bytes are proven to be those that a producer signed. */
async function warmUpReasons(parts: Parts, proven: boolean, workers: number): Promise<readonly StartupReason[]> {
  const { catalog, manifest, sources } = parts;
  if (!proven || manifest === null || catalog === null) {
    const message = "the index was not warmed: its catalog and models are not proven to be the signed ones";
    return [reason("warm_up", "WARMUP_FAILED", message)];
  }
  try {
    const models = await loadModels(catalog, sources, { workers, queueLimit });
    await models.close();
    return [];
  } catch (thrown) {
    const { code, message } = toSluiceError(thrown);
    return [reason("warm_up", code, message)];
  }
}
