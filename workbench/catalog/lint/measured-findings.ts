import { counted } from "../../../src/domain/number-text.js";
import { groupBy } from "../../../src/stats/group-by.js";
import type { LintFinding } from "./finding.js";
import type { RankedText } from "./measure-examples.js";

/** Number of confused examples from which two workflows count as near-twins. */
const fewestConfusions = 2;
/** Share of a workflow's examples that must be confused with the other workflow. */
const confusedShare = 0.25;

/** What the ranking of hidden examples says about a catalog. */
export function measuredFindings(ranked: readonly RankedText[]): readonly LintFinding[] {
  return [...nearTwins(ranked), ...strays(ranked)];
}

function nearTwins(ranked: readonly RankedText[]): readonly LintFinding[] {
  const ofWorkflow = groupBy(ranked, ({ workflowId }) => workflowId);
  const wrong = ranked.filter(({ first, workflowId }) => first !== workflowId);
  const pairs = groupBy(wrong, ({ first, workflowId }) => [first, workflowId].sort().join("\0"));
  return [...pairs].flatMap(([pair, confused]): readonly LintFinding[] => {
    const [a = "", b = ""] = pair.split("\0");
    const [aside, bside] = [a, b].map((own) => {
      const all = ofWorkflow.get(own)?.length ?? 0;
      return { own, all, taken: confused.filter(({ workflowId }) => workflowId === own).length };
    });
    const sides = [aside, bside].flatMap((side) => (side === undefined ? [] : [side]));
    const heavy = sides.some(({ taken, all }) => taken >= fewestConfusions && taken >= all * confusedShare);
    if (!heavy) return [];
    const mistaken = sides
      .filter(({ taken }) => taken > 0)
      .map(
        ({ own, all, taken }) =>
          `${taken} of ${counted(all, "example")} of ${own} are mistaken for ${own === a ? b : a}`,
      );
    return [
      {
        rule: "near_twins",
        severity: "warning",
        workflowIds: [a, b],
        message: `${a} and ${b} are near-twins: ${mistaken.join("; ")}`,
        advice:
          "Add to each an exclusion that names what the other does, or merge them into one workflow with an input.",
      },
    ];
  });
}

/** Examples whose workflow is not among the first three. */
function strays(ranked: readonly RankedText[]): readonly LintFinding[] {
  return ranked
    .filter(({ place }) => place === null)
    .map(({ text, workflowId, first }) => ({
      rule: "example_elsewhere",
      severity: "warning",
      workflowIds: [workflowId, first],
      message: `"${text}", an example of ${workflowId}, is closer to ${first} and others when held out`,
      advice: "Move it if it belongs there; otherwise add similar examples to its own workflow.",
    }));
}
