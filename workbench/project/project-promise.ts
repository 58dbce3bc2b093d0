import { promiseLimits } from "../../calibrate/plan/promise-limits.js";
import type { DraftedProject } from "../../datasets/draft/draft-project.js";
import { measuringShares } from "./measuring-shares.js";

/** What a drafted project can promise at best, by counts alone: nothing of it is scored yet. */
export function projectPromise({ labels, requests }: Pick<DraftedProject, "labels" | "requests">): readonly string[] {
  const certifies = (count: number): number => Math.round((measuringShares.tune + measuringShares.certify) * count);
  const workflows = labels.filter(({ heldOut }) => heldOut > 0).length;
  return promiseLimits({ workflows: certifies(workflows), requests: certifies(requests.length) }, 0.05);
}
