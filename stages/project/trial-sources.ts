import { readDirectory } from "../../src/trust/directory-hash.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { defaultPolicy } from "../../src/documents/policy.js";
import type { RouterSources } from "../route/development-router.js";
import { readInput } from "../../src/base/files.js";
import { modelFolder } from "./model-folder.js";
import type { ProjectFile } from "../../store/project/project-file.js";

/** Raw verifier score at which a trial routes or clarifies; not learned from data. */
export const trialScore = 0.5;

/**
 * Router inputs for a trial before anything is measured: the catalog, the models, and one fixed threshold on the raw
 * verifier score. A trial makes no claim, is never saved, and only a development server accepts it.
 * @throws {SluiceError} FILE_NOT_FOUND, and the errors of `parseCatalog` and `readDirectory`
 */
export async function trialSources(project: ProjectFile): Promise<RouterSources> {
  const retriever = await readDirectory(modelFolder(project, "retriever"));
  const verifier = await readDirectory(modelFolder(project, "verifier"));
  const catalog = parseCatalog(await readInput(project.catalog), project.catalog);
  return {
    catalog,
    calibration: trialCalibration(catalog.sha256),
    policy: defaultPolicy,
    models: { retrieverFiles: retriever.files, verifierFiles: verifier.files },
  };
}

const unmeasuredTier: Calibration["tiers"]["low"] = {
  confidence: trialScore,
  margin: 0,
  abstain_reason: null,
  target_risk: null,
  certify_requests: 0,
  routed: 0,
  errors: 0,
  workflows: 0,
  design_effect: 1,
  curve: [],
};

const noTier = { low: null, medium: null, high: null, critical: null };

/** Placeholder options; nothing was fitted. */
const noFit: Calibration["fit"] = {
  target_risk: 1,
  looser_targets: [],
  looser_share: 1,
  left_out: false,
  required_tiers: noTier,
  languages: null,
  delta: 1,
  attempt: null,
  claim: "fixed-catalog",
  start_errors: [0],
  start_icc: 0,
  cross_fit: 1,
  calibrator: "identity",
  out_of_scope_share: null,
};

const unmeasuredMix = { out_of_scope_share: 0, coverage: null, false_route_rate: null, upper_bound: null };

function trialCalibration(catalogSha256: Sha256): Calibration {
  const none = sha256Hex("");
  return {
    schema_version: 1,
    calibration_version: "not-measured",
    calibrator: { family: "identity", slope: 1, intercept: 0, fitted_requests: 0, fitted_errors: 0 },
    calibrator_candidates: [],
    tiers: { low: unmeasuredTier, medium: unmeasuredTier, high: unmeasuredTier, critical: unmeasuredTier },
    certified_workflows: null,
    clarify_threshold: trialScore,
    min_retrieval_score: 0,
    joint_delta: 1,
    claims: [],
    method: "none",
    rising_risk: null,
    cross_fit: null,
    population: "Nothing was measured.",
    out_of_scope_share: 0,
    traffic: { declared: false, expected: unmeasuredMix, sensitivity: [] },
    digests: { catalog: catalogSha256, dataset: none, split: none, run: none },
    fit: noFit,
    warnings: [],
  };
}

/** Sentences about the limitations of a trial. */
export const trialLines: readonly string[] = [
  "No claim: without a calibration, the error rate for this catalog is unknown. Requests are routed at a raw score of 0.5 or more, which was not derived from data.",
  "Use it to try the catalog and its wording. A production server refuses it.",
  "To improve it: add one to ten requests, as people write them, to `examples` of each workflow in catalog.yaml.",
  "To get a claim: add labelled requests that are not examples to requests.jsonl, then run the project.",
];
