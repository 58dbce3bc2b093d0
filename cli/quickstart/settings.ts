import { join } from "node:path";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import type { AuditCheck } from "../../src/domain/audit.js";
import type { RiskTier } from "../../src/domain/catalog.js";

const dataFolder = join(import.meta.dirname, "..", "..", "..", "datasets", "service-desk");

/** Everything that the demonstration fixes in advance. */
export const quickstartSettings = {
  catalogFile: join(dataFolder, "catalog.yaml"),
  requestsFile: join(dataFolder, "requests.jsonl"),
  seed: 1,
  /** Inference threads. */
  workers: 2,
  /** More goes into CERTIFY than usual: certificates on unseen workflows need many workflows. */
  fractions: { fit: 0.25, tune: 0.15, certify: 0.45, eval: 0.15 } satisfies FoldFractions,
  /** Largest wrong share among routed requests that each tier promises: what 112 workflows in four tiers can certify. */
  targets: { low: 0.35, medium: 0.3, high: 0.25, critical: 0.2 } satisfies Record<RiskTier, number>,
  delta: 0.05,
  environment: "production",
  bundleVersion: "service-desk-demonstration",
  /** The texts of the shipped requests hold invented account numbers and addresses on purpose; see CARD.md. */
  accepted: {
    checks: ["personal_data"] satisfies readonly AuditCheck[],
    reason: "account numbers and addresses of the shipped requests are invented, see CARD.md",
  },
  approvalDays: 30,
  policyDays: 365,
  /** Protects keys that guard nothing: they exist in this workspace only. */
  passphrase: "demonstration",
  people: { producer: "ada", approvers: ["ben", "cleo"] },
} as const;
