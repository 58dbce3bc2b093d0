import type { Measured } from "../../../src/documents/evaluation.js";
import { brierScore, logLoss } from "../../../eval/stats/proper-scores.js";
import { expectedCalibrationError } from "../../../eval/stats/reliability.js";
import { atRisk, augrc, aurc } from "../../../eval/stats/risk-coverage.js";
import { auroc, falsePositiveRateAt, type ScoreTable, scoreTable } from "../../../eval/stats/roc.js";
import { assert, near, test, throws } from "../../support/test.js";

/** Right answers of six, in the order of the scores below. */
const answers = { all: [1, 1, 1, 1, 1, 1], some: [1, 1, 1, 0, 0, 0], none: [0, 0, 0, 0, 0, 0] } as const;
type Correct = keyof typeof answers;
const scores = {
  constant: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
  ordered: [0.9, 0.8, 0.7, 0.6, 0.4, 0.2],
  inverted: [0.2, 0.4, 0.6, 0.7, 0.8, 0.9],
  tied: [0.9, 0.9, 0.7, 0.9, 0.7, 0.7],
  empty: [],
  single: [0.7],
} as const;
type Shape = keyof typeof scores;
const shapes = Object.keys(scores) as readonly Shape[];
const amounts = Object.keys(answers) as readonly Correct[];
const caseOf = (amount: Correct, shape: Shape): ScoreTable =>
  scoreTable(scores[shape], answers[amount].slice(0, scores[shape].length));

const of = (value: number | null | undefined): Measured =>
  value === null || value === undefined
    ? { value: null, n: 0, null_reason: "EMPTY_DENOMINATOR" }
    : { value, n: 1, null_reason: null };

interface Metric {
  readonly measure: (table: ScoreTable) => Measured;
  readonly range: readonly [number, number];
  /** Cases other than `empty` without a value. */
  readonly undefinedIn?: (amount: Correct, shape: Shape) => boolean;
  readonly values: Partial<Record<`${Correct} ${Shape}`, number>>;
}

const oneSided = (amount: Correct, shape: Shape) => amount !== "some" || shape === "single";

const metrics: Readonly<Record<string, Metric>> = {
  AURC: {
    measure: aurc,
    range: [0, 1],
    values: {
      "all ordered": 0,
      "none inverted": 1,
      "some constant": 0.5,
      "some ordered": (1 / 4 + 2 / 5 + 3 / 6) / 6,
      "some inverted": (3 + 3 / 4 + 3 / 5 + 3 / 6) / 6,
      "none single": 1,
    },
  },
  AUGRC: {
    measure: augrc,
    range: [0, 0.5],
    values: { "all ordered": 0, "none ordered": 0.5, "some constant": 0.25, "some ordered": 0.125 },
  },
  "coverage at risk 0.25": {
    measure: (table) => of(atRisk(table, table.totalRows, 0.25)?.coverage),
    range: [0, 1],
    undefinedIn: (amount, shape) =>
      amount === "none" || (amount === "some" && ["constant", "inverted", "tied"].includes(shape)),
    values: { "all constant": 1, "some ordered": 4 / 6 },
  },
  "ECE, equal width": {
    measure: (table) => expectedCalibrationError(table, 10),
    range: [0, 1],
    values: {
      "some constant": 0,
      "all constant": 0.5,
      "none constant": 0.5,
      "all ordered": 2.4 / 6,
      "all single": 0.3,
    },
  },
  "Brier score": {
    measure: brierScore,
    range: [0, 1],
    values: {
      "some constant": 0.25,
      "all single": 0.09,
      "none single": 0.49,
      "all ordered": (0.01 + 0.04 + 0.09 + 0.16 + 0.36 + 0.64) / 6,
    },
  },
  "log loss": {
    measure: logLoss,
    range: [0, 40],
    values: { "some constant": Math.LN2, "all single": -Math.log(0.7) },
  },
  AUROC: {
    measure: auroc,
    range: [0, 1],
    undefinedIn: oneSided,
    values: { "some ordered": 1, "some inverted": 0, "some constant": 0.5, "some tied": 2 / 3 },
  },
  "FPR@95": {
    measure: (table) => falsePositiveRateAt(table, 0.95),
    range: [0, 1],
    undefinedIn: oneSided,
    values: { "some ordered": 0, "some inverted": 1, "some constant": 1, "some tied": 1 },
  },
};

for (const [name, { measure, range, undefinedIn, values }] of Object.entries(metrics)) {
  test(`${name}: all, some or none right, for every shape of scores`, () => {
    for (const amount of amounts) {
      for (const shape of shapes) {
        const { value, n, null_reason } = measure(caseOf(amount, shape));
        const what = `${amount} ${shape}`;
        if (shape === "empty") {
          const reason = undefinedIn === oneSided ? "ONE_SIDE_EMPTY" : "EMPTY_DENOMINATOR";
          assert.equal([value, n, null_reason], [null, 0, reason], what);
          continue;
        }
        if (undefinedIn?.(amount, shape) === true) {
          assert.is(value, null, what);
          assert.ok((null_reason ?? "").length > 0, what);
          continue;
        }
        assert.ok(value !== null && value >= range[0] - 1e-12 && value <= range[1] + 1e-12, `${what}: ${value}`);
        const expected = values[`${amount} ${shape}`];
        if (expected !== undefined) near(value, expected, 1e-12, what);
      }
    }
  });
}

for (const amount of amounts) {
  test(`scores that are not finite reach no metric, ${amount} right`, () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      throws(() => scoreTable([0.9, bad, 0.3], answers[amount].slice(0, 3)), "ARGUMENT_INVALID");
    }
  });
}
