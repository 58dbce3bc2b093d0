import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import type { Calibration } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import { defaultPolicy } from "../../src/domain/policy.js";
import type { RouterSources } from "../evaluation/development-router.js";
import { readInput } from "../read-input.js";
import { modelFolder } from "./model-folder.js";
import type { ProjectFile } from "./project-file.js";

/** Raw verifier score from which a trial routes or clarifies; not chosen from data. */
export const trialScore = 0.5;

/**
 * Router inputs before anything is measured: the catalog, the models, and one fixed threshold on the verifier's raw
 * score. It makes no claim, is never saved, and only a development server accepts it.
 * @throws {SluiceError} FILE_NOT_FOUND, those of `parseCatalog` and of `readDirectory`
 */
export async function trialSources(project: ProjectFile): Promise<RouterSources> {
  const retriever = await readDirectory(modelFolder(project, "retriever"));
  const verifier = await readDirectory(modelFolder(project, "verifier"));
  const catalog = parseCatalog(await readInput(project.catalog), project.catalog);
  return {
    catalog,
    calibration: trialCalibration(catalog.sha256),
    policy: toCamel(defaultPolicy),
    models: { retrieverFiles: retriever.files, verifierFiles: verifier.files },
  };
}

const unmeasuredTier: Calibration["tiers"]["low"] = {
  confidence: trialScore,
  margin: 0,
  abstainReason: null,
  targetRisk: null,
  certifyRequests: 0,
  routed: 0,
  errors: 0,
  workflows: 0,
  designEffect: 1,
  lowerBound: null,
  upperBound: null,
  curve: [],
};

const noTier = { low: null, medium: null, high: null, critical: null };

/** Nothing was fitted. */
const noFit: Calibration["fit"] = {
  targetRisk: 1,
  looserTargets: [],
  looserShare: 1,
  leftOut: false,
  requiredTiers: noTier,
  delta: 1,
  attempt: null,
  claim: "fixed-catalog",
  startErrors: [0],
  startIcc: 0,
  crossFit: 1,
  calibrator: "identity",
  outOfScopeShare: null,
  tierMix: null,
  costs: null,
};

const unmeasuredMix = { outOfScopeShare: 0, coverage: null, falseRouteRate: null, upperBound: null };

function trialCalibration(catalogSha256: Sha256): Calibration {
  const none = sha256Hex("");
  return {
    schemaVersion: 1,
    calibrationVersion: "not-measured",
    calibrator: { family: "identity", slope: 1, intercept: 0, fittedRequests: 0, fittedErrors: 0 },
    calibratorCandidates: [],
    tiers: { low: unmeasuredTier, medium: unmeasuredTier, high: unmeasuredTier, critical: unmeasuredTier },
    certifiedWorkflows: null,
    clarifyThreshold: trialScore,
    minRetrievalScore: 0,
    jointDelta: null,
    claims: [],
    method: "none",
    risingRisk: null,
    crossFit: null,
    population: "Nothing was measured.",
    outOfScopeShare: 0,
    traffic: { declared: false, tierMix: null, expected: unmeasuredMix, sensitivity: [] },
    operatingCost: null,
    digests: { catalog: catalogSha256, dataset: none, split: none, run: none },
    fit: noFit,
    warnings: [],
  };
}
