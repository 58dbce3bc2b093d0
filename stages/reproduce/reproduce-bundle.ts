import type { FitInput } from "../../calibrate/fit-input.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { ReproductionSource } from "../../src/documents/choices.js";
import type { BundleId } from "../../src/documents/primitives.js";
import type { StatedReproduction } from "../../src/documents/signed.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { onnxRuntimeVersion } from "../../src/inference/models/open-session.js";
import { fitWithAdvice } from "../fit/fit-thresholds.js";
import { inputOfFit } from "../fit/stored-input.js";
import type { PlanContext } from "../plan.js";
import { asTested } from "../fit/stored-input.js";
import { evaluationOf } from "../evaluate.js";
import { toolVersion } from "../../src/base/package-facts.js";
import type { ClaimSources } from "./claim-sources.js";
import {
  type ComparedDocument,
  compareDocuments,
  jsonSide,
  type DecidedRecords,
  decidedRecords,
  tierThresholds,
  type TierThresholds,
} from "./compare-documents.js";

export interface ReproductionPlatform {
  readonly platform: string;
  readonly arch: string;
  /** Version of Node without a leading "v". */
  readonly node: string;
}

interface ReproduceOptions {
  readonly from: ReproductionSource;
  readonly platform: ReproductionPlatform;
  /** Number of inference threads, for `scores`. */
  readonly workers: number;
}

export interface Reproduction {
  readonly bundle_id: BundleId;
  readonly from: ReproductionSource;
  /** Whether every compared document is equal byte for byte. */
  readonly equal: boolean;
  readonly platform: StatedReproduction["platform"];
  /** Versions used for signing, as stated in the manifest. */
  readonly signed_with: { readonly onnxruntime: string; readonly tool: string };
  readonly compared: readonly ComparedDocument[];
  readonly thresholds: readonly TierThresholds[];
  readonly decisions: DecidedRecords;
}

/**
 * Fits, certifies and evaluates again from the records of a manifest with the options in its calibration, and compares
 * the results byte for byte with the signed documents. Saves nothing.
 * @throws {SluiceError} NOT_REPRODUCIBLE  scores need the dataset
 */
export async function reproduceBundle(
  context: PlanContext,
  sources: ClaimSources,
  options: ReproduceOptions,
): Promise<Reproduction> {
  const { manifest, calibration, run, evaluation, records: stored } = sources;
  const { records, fitRows } =
    options.from === "scores"
      ? await sources.scoreAgain(options.workers)
      : { records: stored, fitRows: sources.fitRows() };
  const derived = await derive(context, sources, inputOfFit(calibration.document, { run, records, fitRows }));
  const compared = [
    identities(sources),
    ...(options.from === "scores" ? [compareRecords(sources.recordsBytes, records)] : []),
    compareDocuments("calibration", { signed: jsonSide(calibration.bytes), derived: jsonSide(derived.calibration) }),
    compareDocuments("evaluation", { signed: jsonSide(evaluation), derived: jsonSide(derived.evaluation) }),
  ];
  return {
    bundle_id: manifest.bundleId,
    from: options.from,
    equal: compared.every(({ equal }) => equal),
    platform: platformHere(options.platform),
    signed_with: manifest.predicate.runtime,
    thresholds: tierThresholds(calibration.document, derived.document),
    decisions: decidedRecords(
      { calibration: calibration.document, records: stored },
      { calibration: derived.document, records },
    ),
    compared,
  };
}

export function platformHere({ platform, arch, node }: ReproductionPlatform): Reproduction["platform"] {
  return { platform, arch, node, onnxruntime: onnxRuntimeVersion(), tool: toolVersion() };
}

interface Derived {
  readonly calibration: Buffer;
  readonly document: Calibration;
  readonly evaluation: Buffer;
}

async function derive(context: PlanContext, sources: ClaimSources, input: FitInput): Promise<Derived> {
  const { run, split } = sources;
  const { records } = input;
  const document = await fitWithAdvice(context, split, input);
  const calibration = canonicalBytes(document);
  // The evaluation contains the digest of its calibration, so a difference in the calibration changes the evaluation.
  const thresholds = { sha256: sha256Hex(calibration), document: asTested(document, () => input) };
  const { bytes } = evaluationOf({ run, records, calibration: thresholds, fold: "eval" });
  return { calibration, document, evaluation: bytes };
}

function identities({ manifest: { predicate }, run: { document }, modelDigest }: ClaimSources): ComparedDocument {
  const signed = {
    catalog: predicate.catalog.sha256,
    policy: predicate.policy.sha256,
    retriever: predicate.retriever.dir_hash1,
    verifier: predicate.verifier.dir_hash1,
  };
  const derived = {
    catalog: document.catalog_sha256,
    policy: document.policy_sha256,
    retriever: modelDigest("retriever"),
    verifier: modelDigest("verifier"),
  };
  return compareDocuments("identities", {
    signed: { bytes: canonicalBytes(signed), document: signed },
    derived: { bytes: canonicalBytes(derived), document: derived },
  });
}

function compareRecords(bytes: Buffer, records: readonly ScoredRecord[]): ComparedDocument {
  const byId = (list: readonly ScoredRecord[]) => Object.fromEntries(list.map((record) => [record.id, record]));
  const derived = scoredTableBytes(records);
  return compareDocuments("records", {
    signed: { bytes, document: byId(readScoredTable(bytes, "scored records")) },
    derived: { bytes: derived, document: byId(readScoredTable(derived, "records scored again")) },
  });
}
