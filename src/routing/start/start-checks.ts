import { bundleFiles, bundleFolders } from "../../artifacts/bundle-layout.js";
import { productionProblemLines } from "../../catalog/rules.js";
import type { Calibration } from "../../domain/calibration.js";
import type { Catalog } from "../../domain/catalog.js";
import type { RoutingPolicy } from "../../domain/policy.js";
import type { GoldenWire } from "../../domain/signed.js";
import { effectiveIdentities, identityDifferences, signedIdentities } from "../bundle-identities.js";
import type { ModelSources } from "../load-models.js";
import { requireEvidence } from "../require-evidence.js";
import { readStartParts, type StartBytes, type StartParts } from "./bundle-documents.js";
import { findingOf, findingsError, type StartFinding } from "./start-finding.js";

type StartCheck = (parts: StartParts) => readonly StartFinding[];

/** Models that were made for trials only. */
const capability: StartCheck = ({ retriever, verifier }) =>
  [retriever, verifier].flatMap((model) => {
    if (model === null || model.capability === "production") return [];
    const message = `the ${model.role} ${model.version} declares ${model.capability} capability`;
    const file = model.role === "retriever" ? bundleFolders.retriever : bundleFolders.verifier;
    return [{ rule: "capability", code: "PRODUCTION_CONFIGURATION", file, message }];
  });

/** Running values against the signed ones. */
const identities: StartCheck = ({ manifest, catalog, calibration, policy, retriever, verifier, ...sources }) => {
  if (manifest === null || catalog === null || calibration === null || policy === null) return [];
  if (retriever === null || verifier === null) return [];
  const effective = effectiveIdentities({ catalog, calibration, policy }, sources);
  return identityDifferences(signedIdentities(manifest), effective).map((difference) => ({
    rule: difference.startsWith("exactEvents:") ? "exact_events" : "identities",
    code: "IDENTITY_MISMATCH",
    file: bundleFiles.manifest,
    message: difference,
    hint: "Serve this bundle with the versions that its manifest names, or sign a new manifest.",
  }));
};

/** The calibration weighs what the verifier reads. */
const evidence: StartCheck = ({ calibration, verifier, verifierFiles }) => {
  if (calibration === null || verifier === null) return [];
  try {
    requireEvidence(calibration, verifierFiles);
    return [];
  } catch (thrown) {
    return [findingOf(thrown, "identities", bundleFiles.calibration)];
  }
};

/** Owners, and events that name one workflow each. */
const productionCatalog: StartCheck = ({ catalog }) =>
  (catalog === null ? [] : productionProblemLines(catalog)).map((message) => ({
    rule: "catalog",
    code: "CATALOG_NOT_PRODUCTION",
    file: bundleFiles.catalog,
    message,
    hint: "Correct the catalog, then run: sluice catalog check FILE --production",
  }));

/** Every check of the documents of a bundle, in the order in which a start reports them. */
const startChecks: readonly StartCheck[] = [identities, evidence, capability, productionCatalog];

/** The documents of a bundle, all of them readable. */
export interface StartDocuments {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly golden: GoldenWire;
  readonly sources: ModelSources;
}

export interface CheckedStart {
  /** null when one of them could not be read. */
  readonly documents: StartDocuments | null;
  /** Empty when nothing but the warm-up is left to do. */
  readonly findings: readonly StartFinding[];
}

/** Runs every check that needs no running model. The server, `bundle verify` and `manifest create` share this list. */
export function checkStart(bytes: StartBytes, catalogOf?: (content: Buffer) => Catalog): CheckedStart {
  const { parts, findings } = readStartParts(bytes, catalogOf);
  const { catalog, calibration, policy, golden, vectorBytes, retrieverFiles, verifierFiles } = parts;
  const sources = { retrieverFiles, verifierFiles, vectorBytes };
  const isComplete = catalog !== null && calibration !== null && policy !== null && golden !== null;
  return {
    documents: isComplete ? { catalog, calibration, policy, golden, sources } : null,
    findings: [...findings, ...startChecks.flatMap((check) => check(parts))],
  };
}

/**
 * The documents of a bundle that passes every check of `checkStart`.
 * @param catalogOf  parses the catalog; `parseCatalog` unless given
 * @throws {SluiceError} with the code of the first finding, and the message of each
 */
export function requireStart(bytes: StartBytes, catalogOf?: (content: Buffer) => Catalog): StartDocuments {
  const { documents, findings } = checkStart(bytes, catalogOf);
  if (documents === null || findings.length > 0) throw findingsError(findings);
  return documents;
}
