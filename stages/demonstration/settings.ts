import { join } from "node:path";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import type { AuditCheck } from "../../src/documents/choices.js";
import { demonstrationEnvironment } from "../../src/documents/signed.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

const packageRoot = join(import.meta.dirname, "..", "..", "..");
const dataFolder = join(packageRoot, "datasets", "service-desk");
const modelFolder = join(packageRoot, "models", "default");

/** Everything that the demonstration fixes in advance. */
export const quickstartSettings = {
  catalogFile: join(dataFolder, "catalog.yaml"),
  requestsFile: join(dataFolder, "requests.jsonl"),
  /** The shipped checkpoint; from this dataset it learned only the FIT fold of this split. */
  retriever: join(modelFolder, "retriever"),
  verifier: join(modelFolder, "verifier"),
  seed: 1,
  /** Inference threads. */
  workers: 2,
  /**
   * CERTIFY and TUNE are larger than usual, because certificates on unseen workflows need many workflows. TUNE and
   * CERTIFY are tested together; TUNE is the larger one because the plan reads it alone.
   */
  fractions: { fit: 0.25, tune: 0.45, certify: 0.15, eval: 0.15 } satisfies FoldFractions,
  /**
   * Largest wrong share of the routed requests, over all tiers; advised by `sluice calibrate plan`, see
   * docs/adr/0026.
   */
  target_risk: 0.1,
  /** Tests these targets alone: see docs/adr/0041. */
  looser_targets: [] as readonly number[],
  delta: 0.05,
  /** Chosen beforehand: see docs/adr/0014. */
  calibrator: "verifier-features",
  /** The stricter claim about this catalog, on a split by request: see docs/adr/0024. */
  catalogClaim: { target_risk: 0.05, looser_targets: [] as readonly number[], calibrator: "catalog-features" },
  environment: demonstrationEnvironment,
  bundleVersion: "service-desk-demonstration",
  /** The texts of the shipped requests hold invented account numbers and addresses on purpose; see CARD.md. */
  accepted: {
    checks: ["personal_data"] satisfies readonly AuditCheck[],
    reason: "account numbers and addresses of the shipped requests are invented, see CARD.md",
  },
  approvalDays: 30,
  policyDays: 365,
  /** Passphrase of demonstration keys, which exist only in this workspace. */
  passphrase: "demonstration",
  people: { producer: "ada", approvers: ["ben", "cleo"] },
} as const;

/** Stages as shown to a newcomer, in order. */
export const toldStages = ["read", "score", "promise", "sign", "report", "serve"] as const;
export type ToldStage = (typeof toldStages)[number];

/** The demonstration's workspace and its observer. */
export interface DemonstrationContext extends WorkbenchContext {
  /** Called when a stage ends, with a sentence and its milliseconds. */
  readonly onStage: (stage: ToldStage, words: string, milliseconds: number) => void;
  readonly note: (line: string) => void;
  /** A path relative to the reader's folder. */
  readonly here: (path: string) => string;
}
