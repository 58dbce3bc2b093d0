import { fitInputOf } from "../../calibrate/fit-options.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import type { Calibration, CalibrationWire, FitOptions } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import type { BundleId } from "../../src/domain/primitives.js";
import type { Run, ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import { onnxRuntimeVersion } from "../../src/inference/runtime-version.js";
import { backgroundOption, fittedOn, fitWithAdvice } from "../calibration/fit-thresholds.js";
import { recordsOfRun } from "../calibration/records-of-run.js";
import { storedBackground } from "../calibration/score-background.js";
import { evaluationOf } from "../evaluation/evaluate-run.js";
import { getBlob } from "../history/read.js";
import { type Kept, readCalibration, readModel, readRecord, readRun } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import type { Stage } from "../records/stage.js";
import type { KeptManifest } from "../release/read-manifest.js";
import { toolVersion } from "../tool-version.js";
import { type ComparedDocument, compareDocuments, jsonSide } from "./compare-documents.js";
import { type DecidedRecords, decidedRecords, tierThresholds, type TierThresholds } from "./difference-effects.js";
import { scoreAgain } from "./score-again.js";

/** From what a claim is derived: the scored records, or the dataset, scored again with the models of the bundle. */
export type ReproductionSource = "records" | "scores";

/** The machine that derived a claim. */
export interface ReproductionPlatform {
  readonly platform: string;
  readonly arch: string;
  /** Version of Node without a leading "v". */
  readonly node: string;
}

interface ReproduceOptions {
  readonly from: ReproductionSource;
  readonly platform: ReproductionPlatform;
  /** Inference threads, for `scores`. */
  readonly workers: number;
}

/** A claim that was derived again, compared with what the producer signed. */
export interface Reproduction {
  readonly bundleId: BundleId;
  readonly from: ReproductionSource;
  /** Whether every compared document is equal byte for byte. */
  readonly equal: boolean;
  readonly platform: ReproductionPlatform & { readonly onnxruntime: string; readonly tool: string };
  /** What the manifest states about the machine that signed. */
  readonly signedWith: { readonly onnxruntime: string; readonly tool: string };
  readonly compared: readonly ComparedDocument[];
  readonly thresholds: readonly TierThresholds[];
  readonly decisions: DecidedRecords;
}

/**
 * Fits, certifies and evaluates again from the records that a manifest names, with the options that its calibration
 * states, and compares with the signed documents byte for byte. Saves nothing.
 * @throws {SluiceError} NOT_REPRODUCIBLE  the calibration does not state its options, or the manifest names no run
 * @throws {SluiceError} ENTRY_TAMPERED  a stored record is not the one that the manifest names; RECORD_NOT_FOUND
 */
export async function reproduceBundle(
  stage: Stage,
  manifest: KeptManifest,
  options: ReproduceOptions,
): Promise<Reproduction> {
  const { history } = stage;
  const { predicate, bundleId } = manifest;
  const calibration = readCalibration(history, predicate.calibration.sha256);
  const fit = statedOptions(calibration);
  const run = readRun(history, evidenceOf(manifest, "run.json"));
  const evaluation = readRecord(history, "evaluation", evidenceOf(manifest, "evaluation.json"));
  const stored = recordsOfRun(history, run);
  const { records, background } =
    options.from === "scores"
      ? await scoreAgain(stage, run, { workers: options.workers, background: fit.background })
      : { records: stored, background: storedBackground(history, fit) };
  const { calibrationVersion: version } = calibration.document;
  const input = { ...fitInputOf(fit), records, digests: fittedOn(run), version, ...backgroundOption(background) };
  const derived = await derive(stage, run, input);
  const compared = [
    identities(stage, manifest, run),
    ...(options.from === "scores" ? [compareRecords(getBlob(history, run.document.recordsSha256), records)] : []),
    compareDocuments("calibration", { signed: jsonSide(calibration.bytes), derived: jsonSide(derived.calibration) }),
    compareDocuments("evaluation", { signed: jsonSide(evaluation.bytes), derived: jsonSide(derived.evaluation) }),
  ];
  return {
    bundleId,
    from: options.from,
    equal: compared.every(({ equal }) => equal),
    platform: { ...options.platform, onnxruntime: onnxRuntimeVersion(), tool: toolVersion() },
    signedWith: predicate.runtime,
    compared,
    thresholds: tierThresholds(calibration.document, derived.document),
    decisions: decidedRecords(
      { calibration: calibration.document, records: stored },
      { calibration: derived.document, records },
    ),
  };
}

/** @throws {SluiceError} NOT_REPRODUCIBLE */
function statedOptions({ sha256, document }: Kept<Calibration>): FitOptions {
  if (document.fit !== undefined) return document.fit;
  const message = `calibration ${shortId(sha256)} does not state the options of its fit, expected version 3, which does`;
  throw new SluiceError("NOT_REPRODUCIBLE", message, {
    hint: "Fit and sign a new bundle; an older bundle stays valid, but nobody can derive its claim: sluice calibrate fit",
  });
}

/** @throws {SluiceError} NOT_REPRODUCIBLE */
function evidenceOf({ predicate }: KeptManifest, name: string): string {
  const found = predicate.evidence.find((one) => one.name === name);
  if (found !== undefined) return found.sha256;
  throw new SluiceError("NOT_REPRODUCIBLE", `the manifest names no ${name} among its evidence, expected one`, {
    hint: "Sign the bundle again: sluice manifest create",
  });
}

interface Derived {
  readonly calibration: Buffer;
  readonly document: Calibration;
  readonly evaluation: Buffer;
}

async function derive(stage: Stage, run: Kept<Run>, input: Parameters<typeof fitWithAdvice>[2]): Promise<Derived> {
  const wire = await fitWithAdvice(stage, run, input);
  const calibration = canonicalBytes(wire);
  const document = toCamel<CalibrationWire>(wire);
  // The evaluation names the calibration that it was made under, so a difference of the one is a difference of the other.
  const thresholds = { sha256: sha256Hex(calibration), document };
  const { bytes } = evaluationOf(stage.history, { run, records: input.records, calibration: thresholds, fold: "eval" });
  return { calibration, document, evaluation: bytes };
}

/** What the manifest lets a server load, compared with what the run was scored with. */
function identities({ history }: Stage, { predicate }: KeptManifest, { document }: Kept<Run>): ComparedDocument {
  const modelOf = (sha256: string) => readModel(history, sha256).document.dir_hash1;
  const signed = {
    catalog: predicate.catalog.sha256,
    policy: predicate.policy.sha256,
    retriever: predicate.retriever.dir_hash1,
    verifier: predicate.verifier.dir_hash1,
  };
  const derived = {
    catalog: document.catalogSha256,
    policy: document.policySha256,
    retriever: modelOf(document.retrieverSha256),
    verifier: modelOf(document.verifierSha256),
  };
  return compareDocuments("identities", {
    signed: { bytes: canonicalBytes(signed), document: signed },
    derived: { bytes: canonicalBytes(derived), document: derived },
  });
}

/** The fields of two tables are named by the ids of their records. */
function compareRecords(bytes: Buffer, records: readonly ScoredRecord[]): ComparedDocument {
  const byId = (list: readonly ScoredRecord[]) => Object.fromEntries(list.map((record) => [record.id, record]));
  const derived = scoredTableBytes(records);
  return compareDocuments("records", {
    signed: { bytes, document: byId(readScoredTable(bytes, "scored records")) },
    derived: { bytes: derived, document: byId(readScoredTable(derived, "records scored again")) },
  });
}
