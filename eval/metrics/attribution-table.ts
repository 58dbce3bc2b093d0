import { attributionBuckets } from "../../src/documents/choices.js";
import { type Attribution, type Counterfactual } from "../../src/documents/evaluation.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";

const perfections = {
  retriever: { routed: fact.retrieverRouted, wrong: fact.retrieverWrong },
  verifier: { routed: fact.verifierRouted, wrong: fact.verifierWrong },
  threshold: { routed: fact.thresholdRouted, wrong: null },
} as const;

/**
 * Requests by bucket and decision, and the results if one stage were perfect. The columns must come from decided
 * outcomes.
 */
export function attributionTable(columns: OutcomeColumns, counter: ClusterCounter): Attribution {
  const rows = attributionBuckets.map((bucket) => ({ bucket, requests: 0, routed: 0, asked: 0, declined: 0 }));
  const [routed, asked] = [counter.has(fact.routed), counter.has(fact.asked)];
  const wrongRoute = counter.has(fact.inScope | fact.routedWrong);
  let wrongRoutes = 0;
  for (let row = 0; row < columns.requests; row += 1) {
    const counts = rows[columns.bucket[row]];
    if (counts === undefined) continue;
    counts.requests += 1;
    if (routed(row)) counts.routed += 1;
    else if (asked(row)) counts.asked += 1;
    else counts.declined += 1;
    if (wrongRoute(row)) wrongRoutes += 1;
  }
  return {
    requests: columns.requests,
    rows,
    wrong_routes: wrongRoutes,
    counterfactuals: (["retriever", "verifier", "threshold"] as const).map((perfect) =>
      counterfactual(counter, perfect),
    ),
  };
}

function counterfactual(counter: ClusterCounter, perfect: keyof typeof perfections): Counterfactual {
  const bits = perfections[perfect];
  const routed = counter.has(bits.routed);
  const wrong = bits.wrong === null ? () => false : counter.has(bits.wrong);
  return {
    perfect,
    coverage: counter.rate({ of: () => true, event: routed }),
    selective_risk: counter.rate({ of: routed, event: wrong }),
    in_scope_right: counter.rate({ of: counter.has(fact.inScope), event: (row) => routed(row) && !wrong(row) }),
  };
}
