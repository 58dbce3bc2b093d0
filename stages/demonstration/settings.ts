import { join } from "node:path";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import type { AuditCheck } from "../../src/documents/choices.js";
import { demonstrationEnvironment } from "../../src/documents/signed.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

const packageRoot = join(import.meta.dirname, "..", "..", "..");
const dataFolder = join(packageRoot, "datasets", "service-desk");
const modelFolder = join(packageRoot, "models", "default");

/** Settings of the demonstration, fixed in advance. */
export const quickstartSettings = {
  catalogFile: join(dataFolder, "catalog.yaml"),
  requestsFile: join(dataFolder, "requests.jsonl"),
  /** The shipped checkpoint. Of this dataset, it was trained only on the FIT fold of this split. */
  retriever: join(modelFolder, "retriever"),
  verifier: join(modelFolder, "verifier"),
  seed: 1,
  /** Number of inference threads. */
  workers: 2,
  /**
   * TUNE and CERTIFY are larger than usual, because a claim about unseen workflows needs many workflows. They are
   * tested together; TUNE is the larger one because the plan reads only TUNE.
   */
  fractions: { fit: 0.25, tune: 0.45, certify: 0.15, eval: 0.15 } satisfies FoldFractions,
  /**
   * Maximum wrong share of the routed requests over all tiers, as advised by `sluice calibrate plan`; see
   * docs/adr/0026.
   */
  target_risk: 0.1,
  /** No looser targets are tested; see docs/adr/0041. */
  looser_targets: [] as readonly number[],
  delta: 0.05,
  /** The stricter claim about this catalog, on a split by request. */
  catalogClaim: { target_risk: 0.05, looser_targets: [] as readonly number[] },
  environment: demonstrationEnvironment,
  bundleVersion: "service-desk-demonstration",
  /** The shipped request texts deliberately contain invented account numbers and addresses; see CARD.md. */
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

/** Stages shown to the user, in order. */
export const toldStages = ["read", "score", "promise", "sign", "report", "serve"] as const;
export type ToldStage = (typeof toldStages)[number];

export interface DemonstrationContext extends WorkbenchContext {
  /** Called when a stage ends, with a sentence. */
  readonly onStage: (stage: ToldStage, words: string) => void;
  readonly note: (line: string) => void;
  /** Converts a path to one relative to the user's folder. */
  readonly here: (path: string) => string;
}
