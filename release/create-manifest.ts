import { foldOfRow } from "../src/documents/split.js";
import type { BundleId } from "../src/documents/primitives.js";
import { foldOf } from "../datasets/split-by-workflow.js";
import type { Fold } from "../src/documents/choices.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import type { Workspace } from "../store/workspace.js";
import { bundleFiles, bundleFolders } from "../src/trust/bundle-layout.js";
import { manifestStatement } from "./signing/statements.js";
import { signStatement, type Signer } from "./signing/sign-statement.js";
import { bundleIdOf } from "../src/trust/statements.js";
import type { TrustStore } from "../src/trust/trust-policy.js";
import { requireProducer } from "../src/trust/verify/open-manifest.js";
import { releasePageEvidence } from "../reports/release/release-page.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../src/base/sha256.js";
import type { Manifest, Golden } from "../src/documents/signed.js";
import type { History } from "../store/history/open.js";
import { onnxRuntimeVersion } from "../src/inference/models/open-session.js";
import { parseRetrieverModel } from "../src/router/retrieval/parse-retriever.js";
import { storedVectorsVersion } from "../src/router/retrieval/stored-vectors.js";
import { serializerIdentity } from "../src/documents/workflow-text/identity.js";
import { parseVerifierModel } from "../src/router/verification/parse-verifier.js";
import { parseGolden, goldenRequest } from "../src/router/check-golden.js";
import { type StartBytes, startBytes } from "../src/router/start/bundle-documents.js";
import { requireStart } from "../src/router/start/start-checks.js";
import { toolVersion } from "../src/base/package-facts.js";
import { requireAudit } from "../store/records/save-audit.js";
import { requireNewCatalogVersion } from "./release-numbers.js";
import { buildReleasePage } from "./page/build-release-page.js";
import type { AsTested } from "./page/release-differences.js";
import {
  readCalibration,
  readCatalog,
  readDataset,
  readEvaluationOf,
  readModel,
  readPolicy,
  readRun,
  readSplit,
} from "../store/records/read-records.js";
import { utcSeconds } from "../src/base/text.js";
import { saveRecord, type Session } from "../store/records/session.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { decisionKinds } from "../src/documents/decision.js";
import type { RoutingPolicy } from "../src/documents/policy.js";
import type { OpenEmbeddingCache } from "../src/router/retrieval/embedding-cache.js";
import { loadModels, type ModelSources } from "../src/router/load-models.js";
import { BundleRouter } from "../src/router/router.js";

export interface CreateManifestOptions {
  readonly calibrationId?: string;
  readonly bundleVersion: string;
  /** Decides the requests that a calibration tested as its claims count them, for the release page. */
  readonly asTested: AsTested;
  /** Principal of the trust policy who signs. */
  readonly producer: string;
  readonly signer: Signer;
  /** Policy that will verify the bundle; null if there is none yet. */
  readonly trust: TrustStore | null;
  /** Milliseconds since 1970 UTC. */
  readonly createdAtMs: number;
  /** Bundle that this one supersedes; null for the first release. */
  readonly supersedes: BundleId | null;
  /** Number of this release, at least 1. */
  readonly release: number;
  /** Smallest release that may still run after this one; at most `release`. */
  readonly rollbackFloor: number;
}

export interface CreatedManifest {
  readonly bundle_id: BundleId;
  readonly manifest: Sha256;
  readonly golden_cases: number;
}

/**
 * Builds the manifest of a calibration from the effective values, signs it as the producer and saves it with every file
 * of the bundle. Runs the whole digest chain and every startup check of a server first, so that nobody signs a bundle
 * that cannot serve.
 * @throws {SluiceError} GATE_NOT_MET  the dataset has no audit that passed or was accepted; CATALOG_INVALID  a release
 *   has its catalog version for another catalog; those of `requireStart`
 *   and `requireProducer`
 */
export async function createManifest(session: Session, options: CreateManifestOptions): Promise<CreatedManifest> {
  const sources = readSources(session.history, options.calibrationId);
  const { catalog } = sources;
  requireNewCatalogVersion(session.history, { version: catalog.document.catalog_version, sha256: catalog.sha256 });
  const made = await goldenOf(sources, session.context.workspace);
  const evidence = new Map([
    ["evaluation.json", sources.evaluation.bytes],
    ["split.json", sources.split.bytes],
    ["run.json", sources.run.bytes],
    ["audit.json", sources.audit.bytes],
  ]);
  const withoutPage: Manifest = {
    schema_version: 1,
    bundle_version: options.bundleVersion,
    created_at: utcSeconds(options.createdAtMs),
    producer: options.producer,
    ...identitiesOf(sources),
    golden: identity("golden-1", made.golden),
    vectors: made.vectors === null ? null : identity(storedVectorsVersion, made.vectors),
    evidence: evidenceNames(evidence),
    supersedes: options.supersedes,
    release: options.release,
    rollback_floor: options.rollbackFloor,
  };
  evidence.set(releasePageEvidence, canonicalBytes(buildReleasePage(session.history, withoutPage, options.asTested)));
  const predicate = { ...withoutPage, evidence: evidenceNames(evidence) };
  const files = bundleContent(sources, made, evidence);
  requireServable(predicate, options, startBytes(files, predicate));
  const signed = await signStatement(manifestStatement(predicate), options.signer);
  const attachments = [...files.values()];
  const { sha256 } = saveRecord({ ...session, actor: options.producer }, "manifest", signed.envelopeBytes, attachments);
  return {
    bundle_id: bundleIdOf(signed.payload),
    manifest: sha256,
    golden_cases: parseGolden(made.golden).cases.length,
  };
}

const evidenceNames = (evidence: ReadonlyMap<string, Buffer>): Manifest["evidence"] =>
  [...evidence].map(([name, bytes]) => ({ name, sha256: sha256Hex(bytes) }));

/** These models produced the golden decisions, so the warm-up of a server start is not repeated. */
function requireServable(predicate: Manifest, options: CreateManifestOptions, bytes: StartBytes): void {
  requireStart(bytes);
  const { trust, producer, signer, createdAtMs } = options;
  if (trust === null) return;
  const signers = trust.keys.filter((key) => key.keyId === signer.keyId);
  requireProducer({ producer, signers }, trust, new Date(createdAtMs), `manifest ${predicate.bundle_version}`);
}

type Sources = ReturnType<typeof readSources>;

function readSources(history: History, calibrationId: string | undefined) {
  const calibration = readCalibration(history, calibrationId);
  const run = readRun(history, calibration.document.digests.run);
  return {
    calibration,
    run,
    catalog: readCatalog(history, run.document.catalog_sha256),
    dataset: readDataset(history, run.document.dataset_sha256),
    split: readSplit(history, run.document.split_sha256),
    policy: readPolicy(history, run.document.policy_sha256),
    retriever: readModel(history, run.document.retriever_sha256),
    verifier: readModel(history, run.document.verifier_sha256),
    audit: requireAudit(history, run.document),
    evaluation: readEvaluationOf(history, calibration.sha256),
  };
}

/**
 * Golden decisions from the requests of the EVAL fold; without one, from CERTIFY; without either, from all requests.
 */
function goldenOf(
  { catalog, calibration, policy, retriever, verifier, dataset, split }: Sources,
  { vectors }: Workspace,
): Promise<GoldenFiles> {
  const folds = foldOf(split.document);
  const rowsOf = (fold: Fold) => dataset.document.filter((row) => foldOfRow(row, folds) === fold);
  const requests = [rowsOf("eval"), rowsOf("certify"), dataset.document].find((rows) => rows.length > 0) ?? [];
  const models = { retrieverFiles: retriever.files, verifierFiles: verifier.files };
  return goldenDecisions(
    {
      catalog: catalog.document,
      calibration: calibration.document,
      policy: policy.document,
      models,
      requests,
    },
    embeddingCacheFolder(vectors),
  );
}

const identity = (version: string, bytes: Buffer) => ({ version, sha256: sha256Hex(bytes), bytes: bytes.length });

const modelIdentity = ({ document: { version, dir_hash1, files } }: Sources["retriever"]) => ({
  version,
  dir_hash1,
  files,
});

/** Identities that the server compares with its files and settings before it serves. */
function identitiesOf({ catalog, calibration, policy, retriever, verifier }: Sources) {
  const { version, goldenSha256 } = serializerIdentity();
  const { top_k, exact_events, policy_version } = policy.document;
  return {
    catalog: identity(catalog.document.catalog_version, catalog.bytes),
    serializer: { version, golden_sha256: goldenSha256 },
    retriever: modelIdentity(retriever),
    verifier: modelIdentity(verifier),
    prefix: parseRetrieverModel(retriever.files).prefix,
    label_order: [...parseVerifierModel(verifier.files).label_order],
    top_k,
    calibration: identity(calibration.document.calibration_version, calibration.bytes),
    policy: identity(policy_version, policy.bytes),
    exact_events,
    runtime: { onnxruntime: onnxRuntimeVersion(), tool: toolVersion() },
  };
}

function bundleContent(
  { catalog, calibration, policy, retriever, verifier }: Sources,
  { golden, vectors }: GoldenFiles,
  evidence: ReadonlyMap<string, Buffer>,
): ReadonlyMap<string, Buffer> {
  return new Map<string, Buffer>([
    [bundleFiles.catalog, catalog.bytes],
    [bundleFiles.calibration, calibration.bytes],
    [bundleFiles.policy, policy.bytes],
    [bundleFiles.golden, golden],
    ...(vectors === null ? [] : [[bundleFiles.vectors, vectors] as const]),
    ...prefixed(bundleFolders.retriever, retriever.files),
    ...prefixed(bundleFolders.verifier, verifier.files),
    ...prefixed(bundleFolders.evidence, evidence),
  ]);
}

const prefixed = (folder: string, files: ReadonlyMap<string, Buffer>): readonly (readonly [string, Buffer])[] =>
  [...files].map(([path, bytes]) => [`${folder}${path}`, bytes] as const);

/** Number of golden decisions per kind in a bundle, if there are enough requests. */
const casesPerKind = 4;
/** Maximum number of requests to route. A kind of decision that none of them produces gets no golden decision. */
const mostTried = 256;
/** The same graph on the same ONNX Runtime gives scores that differ only by rounding. */
const tolerance = 1e-4;

interface GoldenSource {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
  /** Requests to choose from, in this order. */
  readonly requests: readonly LabelledRequest[];
}

interface GoldenFiles {
  readonly golden: Buffer;
  /** Vectors of the catalog's texts; null for a retriever without a transformer encoder. */
  readonly vectors: Buffer | null;
}

/**
 * Routes requests as production will, and returns the first few decisions of each kind, with the catalog vectors used.
 * The server reproduces these decisions before it serves.
 */
export async function goldenDecisions(source: GoldenSource, cache?: OpenEmbeddingCache): Promise<GoldenFiles> {
  const models = await loadModels(source.catalog, source.models, {
    workers: 1,
    queueLimit: 64,
    cache,
    cachesRequests: true,
  });
  const router = new BundleRouter({
    ...source,
    models,
    runtimeMode: "production",
    bundleId: null,
    integrityProblems: () => [],
    // Golden decisions contain no durations, and a busy machine must not change them.
    now: () => 0,
  });
  const cases: Golden["cases"] = [];
  const full = (): boolean =>
    decisionKinds.every((kind) => cases.filter((c) => c.decision === kind).length >= casesPerKind);
  try {
    for (const { text } of source.requests.slice(0, mostTried)) {
      if (full()) break;
      const answer = await router.route(goldenRequest(text, router));
      if (cases.filter((c) => c.decision === answer.decision).length >= casesPerKind) continue;
      cases.push({
        text,
        decision: answer.decision,
        workflow_id: answer.workflow_id,
        reason_code: answer.reason_code,
        confidence: answer.confidence,
      });
    }
  } finally {
    await router.close();
  }
  const golden: Golden = { schema_version: 1, tolerance, cases };
  return { golden: canonicalBytes(golden), vectors: await models.vectorBytes() };
}
