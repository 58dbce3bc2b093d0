import { scopeName } from "../../../src/documents/calibration.js";
import { workflowText } from "../../../src/base/text.js";
import {
  counted,
  formatCount,
  formatLimits,
  formatPercent,
  formatScore,
  formatTenthsPercent,
} from "../../../src/documents/number-text.js";
import {
  type ClaimOnRequests,
  type ScoredClaim,
  scoreBundle,
  type SeenRequests,
  type WrongRoute,
} from "../../../stages/score-bundle.js";
import type { WorkOf } from "../../command.js";
import type { evalScoreSpec } from "../../specs/eval.js";
import { table } from "../../table.js";

const verdictWords: Readonly<Record<ClaimOnRequests, string>> = {
  holds: "holds",
  does_not_hold: "does not hold",
  cannot_say_yet: "too few requests to tell",
};

export const evalScore: WorkOf<typeof evalScoreSpec> = async (context, args) => {
  const scored = await scoreBundle(context, args);
  const { requests, seen, claims } = scored;
  return {
    result: scored,
    lines: [
      `${counted(requests, "request")} scored with the bundle`,
      "",
      ...(claims.length === 0
        ? ["The bundle certifies no claim."]
        : table(claims.map(claimCells), ["claim", "target", "wrong of routed", "95% interval", "verdict"])),
      ...wrongLines(scored.wrong_routes),
    ],
    warnings: seenWarnings(seen, requests),
    next: [],
  };
};

/** Maximum number of displayed wrong routes; `--json` has all. */
const shownRoutes = 20;

function wrongLines(routes: readonly WrongRoute[]): readonly string[] {
  if (routes.length === 0) return [];
  const more = routes.length - shownRoutes;
  const rows = routes
    .slice(0, shownRoutes)
    .map((route) => [
      route.id,
      workflowText(route.workflow_id),
      workflowText(route.routed_to),
      route.confidence === null ? "-" : formatScore(route.confidence),
    ]);
  return [
    "",
    ...table(rows, ["wrong route", "right workflow", "routed to", "confidence"]),
    ...(more > 0 ? [`and ${formatCount(more)} more: see --json`] : []),
  ];
}

function seenWarnings({ examples, tested }: SeenRequests, requests: number): readonly string[] {
  if (examples + tested === 0) return [];
  return [
    `Of ${counted(requests, "request")}, ${formatCount(examples)} have the text of a catalog example, and ${formatCount(tested)} ` +
      "more that of a request which already tested a claim. These look better than new requests would; leave them out.",
  ];
}

function claimCells({ scope, limit, wrong, verdict }: ScoredClaim): readonly string[] {
  const share = wrong.estimate === null ? "" : ` (${formatTenthsPercent(wrong.estimate)})`;
  return [
    scopeName(scope),
    formatPercent(limit, 2),
    `${formatCount(wrong.k)} of ${formatCount(wrong.n)}${share}`,
    formatLimits(wrong),
    verdictWords[verdict],
  ];
}
