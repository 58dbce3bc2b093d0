import { attemptOf, type TestedRows } from "../../../stages/import/tested-before.js";
import type { Calibration } from "../../../src/documents/calibration.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aRequest, digestOf } from "../../support/score-cases.js";
import { aClaim } from "../../support/builders.js";

const row = (id: string, text: string, workflowId: string | null = "pay") =>
  aRequest({ id, text, workflow_id: workflowId });
const tested = [row("1", "pay it"), row("2", "pay now"), row("3", "pay me"), row("4", "hello", null)];

const made = (run: number, population: "this_catalog" | "new_workflows", rows = tested): TestedRows => {
  const calibration: Calibration = {
    ...aCalibration(),
    fit: { ...aCalibration().fit, attempt: 1 },
    claims: [aClaim({ population })],
    digests: { ...aCalibration().digests, run: digestOf(run) },
  };
  return { id: digestOf(run), calibration, rows };
};
const asked = {
  population: "this_catalog",
  identity: digestOf(9),
  identityOf: ({ digests }: Calibration) => digests.run,
} as const;

test("earlier calibrations of one of these texts count, the same fit once, other populations and other texts not", () => {
  const history = [
    made(1, "this_catalog"),
    made(2, "new_workflows"),
    made(3, "this_catalog", [row("x", "unrelated")]),
    made(4, "this_catalog"),
    made(4, "this_catalog"),
  ];
  assert.is(attemptOf([], tested, asked), 1);
  assert.is(attemptOf(history, tested, asked), 3);
  assert.is(
    attemptOf([...history, made(9, "this_catalog"), made(5, "this_catalog")], tested, asked),
    3,
    "the same fit",
  );
});
