import { promiseLimits } from "../../calibrate/plan/promise-limits.js";
import { everyTextShares } from "../../datasets/every-text.js";
import type { DraftedProject } from "../../datasets/draft/draft-project.js";
import { measuringShares } from "./measuring-shares.js";

/** Share of requests whose workflow is ranked first, by number of examples per workflow: see docs/reference/catalog.md. */
const rankedFirst = { none: "75.2 %", one: "78.7 %", ten: "85.6 %" } as const;

/** What a project without requests can be used for, and what to add first. */
const withoutRequests: readonly string[] = [
  "None: no request is labelled, so nothing is measured. A development server routes requests, a production server refuses to start.",
  `Add examples to catalog.yaml first: on a public dataset the right workflow is ranked first for ${rankedFirst.none} of ` +
    `the requests without examples, for ${rankedFirst.one} with one per workflow, and for ${rankedFirst.ten} with ten.`,
];

/** The best claim that a drafted project can reach, from counts alone, before scoring. */
export function projectPromise({
  labels,
  requests,
  everyText,
}: Pick<DraftedProject, "labels" | "requests" | "everyText">): readonly string[] {
  if (requests.length === 0) return withoutRequests;
  const { tune, certify } = everyText ? everyTextShares(requests.length) : measuringShares;
  const certifies = (count: number): number => Math.round((tune + certify) * count);
  if (everyText) {
    // Workflows are divided over folds for a claim about new ones, whatever happens to texts.
    const divided = Math.round((measuringShares.tune + measuringShares.certify) * labels.length);
    return promiseLimits({ workflows: divided, requests: certifies(requests.length) }, 0.05);
  }
  const workflows = labels.filter(({ heldOut }) => heldOut > 0).length;
  return promiseLimits({ workflows: certifies(workflows), requests: certifies(requests.length) }, 0.05);
}
