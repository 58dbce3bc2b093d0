import type { RankedAnswer } from "../../eval/baselines/ranked-answer.js";
import { atRisk } from "../../eval/stats/risk-coverage.js";
import { auroc, scoreTable } from "../../eval/stats/roc.js";
import type { SystemAnswers } from "../held-out/systems.js";

/** Results of one system on one dataset. Shares are in [0, 1]; null: undefined. */
export interface PanelFigures {
  readonly retrieverTop1: number;
  readonly recallAt5: number;
  /** Accuracy after verification, or of the retriever if there is no verifier. */
  readonly top1: number;
  /** AUROC of the retriever's and of the last answer's score for separating in-scope from out-of-scope requests. */
  readonly retrieverAuroc: number | null;
  readonly auroc: number | null;
  /** Largest share of all requests that can be answered at any threshold with at most 5% wrong. */
  readonly coverage: number | null;
}

const jointRisk = 0.05;

const share = (answers: readonly RankedAnswer[], counts: (answer: RankedAnswer) => boolean): number =>
  answers.filter(counts).length / answers.length;

export function figuresOf({ answers, retriever }: SystemAnswers): PanelFigures {
  const inScope = (all: readonly RankedAnswer[]) => all.filter(({ scope }) => scope === "in_scope");
  const ofScores = (all: readonly RankedAnswer[], counts: (answer: RankedAnswer) => boolean) =>
    scoreTable(
      all.map(({ score }) => score),
      all.map(counts),
    );
  const aurocOf = (all: readonly RankedAnswer[]) => auroc(ofScores(all, ({ scope }) => scope === "in_scope")).value;
  const right = ofScores(answers, (answer) => answer.right);
  return {
    retrieverTop1: share(inScope(retriever ?? answers), (answer) => answer.right),
    recallAt5: share(inScope(answers), ({ goldRank }) => goldRank !== null && goldRank <= 5),
    top1: share(inScope(answers), (answer) => answer.right),
    retrieverAuroc: aurocOf(retriever ?? answers),
    auroc: aurocOf(answers),
    coverage: atRisk(right, right.totalRows, jointRisk + 1e-12)?.coverage ?? null,
  };
}

/** Mean of each figure over several draws; null if one of them is undefined. */
export function meanOf(draws: readonly PanelFigures[]): PanelFigures {
  const mean = (values: readonly (number | null)[]): number | null => {
    const defined = values.filter((value) => value !== null);
    return defined.length < values.length ? null : defined.reduce((sum, value) => sum + value, 0) / defined.length;
  };
  return {
    retrieverTop1: mean(draws.map(({ retrieverTop1 }) => retrieverTop1)) ?? Number.NaN,
    recallAt5: mean(draws.map(({ recallAt5 }) => recallAt5)) ?? Number.NaN,
    top1: mean(draws.map(({ top1 }) => top1)) ?? Number.NaN,
    retrieverAuroc: mean(draws.map(({ retrieverAuroc }) => retrieverAuroc)),
    auroc: mean(draws.map(({ auroc: value }) => value)),
    coverage: mean(draws.map(({ coverage }) => coverage)),
  };
}

const percent = (value: number | null): string => (value === null ? "-" : (100 * value).toFixed(1));

export const panelHeader: readonly string[] = [
  "| Set | System | Requests | retriever top-1 | recall@5 | top-1 | retriever AUROC | AUROC | coverage at a joint 5% |",
  "|---|---|---|---|---|---|---|---|---|",
];

export function panelLine(set: string, system: string, requests: number, figures: PanelFigures): string {
  const { retrieverTop1, recallAt5, top1, retrieverAuroc, auroc: area, coverage } = figures;
  const cells = [retrieverTop1, recallAt5, top1, retrieverAuroc, area, coverage].map(percent);
  return `| ${[set, system, `${requests}`, ...cells].join(" | ")} |`;
}
