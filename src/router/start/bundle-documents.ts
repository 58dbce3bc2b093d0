import { bundleFiles, bundleFolders, filesBelow } from "../../trust/bundle-layout.js";
import { parseCatalog } from "../catalog/load.js";
import type { Calibration } from "../../documents/calibration.js";
import type { Catalog } from "../../documents/catalog.js";
import type { RetrieverModel, VerifierModel } from "../../documents/model.js";
import { type RoutingPolicy, RoutingPolicySchema } from "../../documents/policy.js";
import type { Golden, Manifest } from "../../documents/signed.js";
import { SluiceError } from "../../base/error.js";
import { readCalibrationDocument } from "../policy/read-calibration.js";
import { requireValidPolicy } from "../policy/require-valid-policy.js";
import { parseRetrieverModel } from "../retrieval/parse-retriever.js";
import type { ModelFiles } from "../retrieval/model-files.js";
import { parseVerifierModel } from "../verification/parse-verifier.js";
import { parseGolden } from "../check-golden.js";
import { parseDocument, parseJson } from "../parse-document.js";
import { findingOf, type StartFinding, type StartupRule } from "./start-finding.js";

/** The bytes that a start reads, before or after verification; null for a missing file. */
export interface StartBytes {
  /** null if no producer signed a manifest that verifies. */
  readonly manifest: Manifest | null;
  readonly catalogBytes: Buffer | null;
  readonly calibrationBytes: Buffer | null;
  readonly policyBytes: Buffer | null;
  readonly goldenBytes: Buffer | null;
  readonly vectorBytes: Buffer | null;
  readonly retrieverFiles: ModelFiles;
  readonly verifierFiles: ModelFiles;
}

/** Parsed parts of a bundle; a part is null if it could not be read. */
export interface StartParts {
  readonly manifest: Manifest | null;
  readonly catalog: Catalog | null;
  readonly calibration: Calibration | null;
  readonly policy: RoutingPolicy | null;
  readonly golden: Golden | null;
  readonly retriever: RetrieverModel | null;
  readonly verifier: VerifierModel | null;
  /** Not examined until the encoder is loaded. */
  readonly vectorBytes: Buffer | null;
  readonly retrieverFiles: ModelFiles;
  readonly verifierFiles: ModelFiles;
}

/** Collects the bytes of a folder or an archive by their path in the bundle. */
export function startBytes(files: ReadonlyMap<string, Buffer>, manifest: Manifest | null): StartBytes {
  return {
    manifest,
    catalogBytes: files.get(bundleFiles.catalog) ?? null,
    calibrationBytes: files.get(bundleFiles.calibration) ?? null,
    policyBytes: files.get(bundleFiles.policy) ?? null,
    goldenBytes: files.get(bundleFiles.golden) ?? null,
    vectorBytes: files.get(bundleFiles.vectors) ?? null,
    retrieverFiles: filesBelow(files, bundleFolders.retriever),
    verifierFiles: filesBelow(files, bundleFolders.verifier),
  };
}

const parsedCatalog = (content: Buffer): Catalog => parseCatalog(content, bundleFiles.catalog);

/**
 * Reads every document of a bundle. A document that cannot be read becomes a finding, and the others are still read.
 * @param catalogOf  parses the catalog, which takes seconds if it is large
 */
export function readStartParts(
  bytes: StartBytes,
  catalogOf: (content: Buffer) => Catalog = parsedCatalog,
): {
  readonly parts: StartParts;
  readonly findings: readonly StartFinding[];
} {
  const findings: StartFinding[] = [];
  const attempt = <T>(rule: StartupRule, file: string, read: () => T): T | null => {
    try {
      return read();
    } catch (thrown) {
      findings.push(findingOf(thrown, rule, file));
      return null;
    }
  };
  const document = <T>(rule: StartupRule, file: string, content: Buffer | null, parse: (bytes: Buffer) => T) =>
    attempt(rule, file, () => {
      if (content === null) throw new SluiceError("FILE_MISSING", `${file}: is missing`);
      return parse(content);
    });
  const { catalog, calibration, policy, golden } = bundleFiles;
  const { manifest, vectorBytes, retrieverFiles, verifierFiles } = bytes;
  const parts: StartParts = {
    manifest,
    catalog: document("catalog", catalog, bytes.catalogBytes, catalogOf),
    calibration: document("identities", calibration, bytes.calibrationBytes, (content) =>
      readCalibrationDocument(parseJson(content, calibration), calibration),
    ),
    policy: document("identities", policy, bytes.policyBytes, (content) =>
      requireValidPolicy(parseDocument(RoutingPolicySchema, content, policy), policy),
    ),
    golden: document("warm_up", golden, bytes.goldenBytes, parseGolden),
    retriever: attempt("capability", bundleFolders.retriever, () => parseRetrieverModel(retrieverFiles)),
    verifier: attempt("capability", bundleFolders.verifier, () => parseVerifierModel(verifierFiles)),
    vectorBytes,
    retrieverFiles,
    verifierFiles,
  };
  return { parts, findings };
}
