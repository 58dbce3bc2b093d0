import type { History } from "../../store/history/open.js";
import { projectEnvironment } from "../../release/draft-trust.js";
import { keptApprovals } from "../../release/kept-decisions.js";

/**
 * The environments that a bundle was decided for, the newest decision first: where its approvals are judged. That of a
 * project for a bundle that nobody has decided about.
 */
export function decidedEnvironments(history: History, bundleId: string): readonly [string, ...string[]] {
  const decided = keptApprovals(history)
    .filter((approval) => approval.bundleId === bundleId)
    .map(({ predicate }) => predicate.environment)
    .toReversed();
  const [first = projectEnvironment, ...others] = new Set(decided);
  return [first, ...others];
}
