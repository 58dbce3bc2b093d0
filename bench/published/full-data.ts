import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { atRisk, aurc } from "../../eval/stats/risk-coverage.js";
import { auroc, scoreTable } from "../../eval/stats/roc.js";
import type { ModelSources } from "../../src/router/load-models.js";
import { type Clinc150, catalogOf } from "../../test/support/clinc150.js";
import { allExamples, requestsOf } from "./clinc150.js";
import { scoreCatalog, type ScoredProtocol } from "./score-catalog.js";
import { calibrateTenExample, type Row, tenExampleRow } from "./ten-example.js";

/** Maximum number of examples per workflow. */
export const mostExamples = 38;

/**
 * Results at the threshold that maximises in-scope accuracy + out-of-scope recall on validation, and results of the
 * curve.
 */
export interface CurveFigures {
  readonly in_scope_accuracy: number;
  readonly oos_recall: number;
  readonly auroc: number | null;
  readonly aurc: number | null;
  /** Largest share of all requests that can be answered at 95% accuracy; the threshold is chosen on the test rows. */
  readonly coverage_at_95: number;
}

/**
 * The row with many examples: training texts of each workflow, evenly spaced in file order, because neighbours resemble
 * each other.
 * @param examples  number per workflow, at most `mostExamples`
 */
export async function fullDataRow(
  sources: ModelSources,
  data: Clinc150,
  examples: number,
): Promise<Row & CurveFigures> {
  const indices = Object.fromEntries(
    Object.entries(allExamples(data)).map(([label, own]) => [label, evenlySpaced(own, examples)]),
  );
  const scored = await scoreCatalog(sources, catalogOf(data, indices), {
    validation: requestsOf(data, ["val", "oos_train", "oos_val"]),
    test: requestsOf(data, ["test", "oos_test"]),
  });
  return { ...tenExampleRow(scored), ...curveFigures(scored) };
}

function evenlySpaced<T>(items: readonly T[], wanted: number): readonly T[] {
  return items.filter(
    (_, i) => Math.floor((i * wanted) / items.length) !== Math.floor(((i - 1) * wanted) / items.length),
  );
}

interface Answer {
  readonly confidence: number;
  readonly right: boolean;
  readonly inScope: boolean;
}

function answersOf(records: readonly ScoredRecord[], calibrator: CalibratorCurve): readonly Answer[] {
  return records.map(({ candidates, workflow_id: workflowId }) => {
    const top = topEligible(calibrator, candidates);
    return {
      confidence: top?.confidence ?? 0,
      right: top !== null && top.workflow_id === workflowId,
      inScope: workflowId !== null,
    };
  });
}

const shareOf = <T>(items: readonly T[], has: (item: T) => boolean): number => items.filter(has).length / items.length;

function atThreshold(answers: readonly Answer[], threshold: number) {
  const inScope = answers.filter((answer) => answer.inScope);
  const outside = answers.filter((answer) => !answer.inScope);
  return {
    in_scope_accuracy: shareOf(inScope, ({ right, confidence }) => right && confidence >= threshold),
    oos_recall: shareOf(outside, ({ confidence }) => confidence < threshold),
  };
}

/** The threshold among .00, .01, ... 1.00 with the largest sum of in-scope accuracy and out-of-scope recall. */
function bestThreshold(answers: readonly Answer[]): number {
  const sums = Array.from({ length: 101 }, (_, step) => {
    const point = atThreshold(answers, step / 100);
    return { threshold: step / 100, sum: point.in_scope_accuracy + point.oos_recall };
  });
  return sums.reduce((best, point) => (point.sum > best.sum ? point : best)).threshold;
}

function curveFigures({ validation, test }: ScoredProtocol): CurveFigures {
  const { calibrator } = calibrateTenExample(validation);
  const answers = answersOf(test, calibrator);
  const confidences = answers.map(({ confidence }) => confidence);
  const right = scoreTable(
    confidences,
    answers.map((answer) => answer.right),
  );
  const scope = scoreTable(
    confidences,
    answers.map((answer) => answer.inScope),
  );
  return {
    ...atThreshold(answers, bestThreshold(answersOf(validation, calibrator))),
    auroc: auroc(scope).value,
    aurc: aurc(right).value,
    coverage_at_95: atRisk(right, answers.length, 0.05)?.coverage ?? 0,
  };
}
