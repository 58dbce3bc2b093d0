import {
  declinedText,
  listedWorkflows,
  listedWrongRoutes,
  routedWorkflows,
  workflowQuestions,
} from "../../../release/page/workflow-costs.js";
import { defaultPolicy } from "../../../src/documents/policy.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCatalog, aWorkflow } from "../../support/score-cases.js";

const group = (
  value: string,
  [requests, routed, wrong]: readonly [number, number, number],
  dimension = "workflow",
) => ({
  dimension,
  value,
  requests,
  coverage: { k: routed },
  joint_risk: { k: wrong },
});

const sources = {
  catalog: aCatalog([
    aWorkflow({ workflow_id: "find", risk_tier: "low", side_effect: "read_only", confirmation: "never" }),
    aWorkflow({ workflow_id: "cancel", risk_tier: "high", side_effect: "destructive", confirmation: "always" }),
    aWorkflow({ workflow_id: "sign_up", risk_tier: "low", side_effect: "external_write", confirmation: "always" }),
    aWorkflow({ workflow_id: "untested", risk_tier: "low", side_effect: "read_only", confirmation: "always" }),
    aWorkflow({ workflow_id: "old", status: "disabled" }),
    aWorkflow({ workflow_id: "abstains", risk_tier: "critical" }),
  ]),
  calibration: { ...aCalibration({ critical: null }), certified_workflows: null },
  policy: defaultPolicy,
  evaluation: {
    detail: {
      slices: [
        group("low", [50, 50, 50], "tier"),
        group("find", [12, 12, 1]),
        group("cancel", [10, 8, 3]),
        group("sign_up", [12, 0, 0]),
        group("old", [9, 9, 9]),
      ],
    },
  },
};

test("the workflows that can be routed come with the cost of a wrong route, the worst first", () => {
  const all = routedWorkflows(sources);
  assert.equal(
    all.map(({ workflow_id: id, tested, routed, wrong }) => [id, tested, routed, wrong]),
    [
      ["cancel", 10, 8, 3],
      ["find", 12, 12, 1],
      ["sign_up", 12, 0, 0],
      ["untested", 0, 0, 0],
    ],
  );
  assert.equal(
    workflowQuestions(all, [
      { id: "1", right: "find", routed: "cancel" },
      ...["2", "3", "4"].map((id) => ({ id, right: "cancel", routed: "find" })),
      { id: "5", right: null, routed: "find" },
    ]).map(({ answer }) => answer),
    [
      "Texts can be routed to 4 workflows: 1 destructive, 1 external_write, 2 read_only; 3 in tier low, 1 in tier high. " +
        "By the catalog, routes to 1 of them need no confirmation: find.",
      "Some requests for 2 of 3 tested workflows are routed wrong: 3 cancel requests went to find, 1 find request went to cancel. Fewer than half of the requests are routed for 1 workflow: sign_up 0 of 12.",
    ],
  );
});

test("workflows of a tier without a threshold are named as always declined, as long as another tier routes", () => {
  const sentence = "Requests for abstains (tier critical) are always declined";
  assert.is(declinedText(sources, false), `${sentence}.`);
  assert.is(declinedText(sources, true), `${sentence}, unless an event names the workflow.`);
  assert.is(declinedText({ ...sources, calibration: { ...sources.calibration, ...aCalibration() } }, false), "");
  const nothing = aCalibration({ low: null, medium: null, high: null, critical: null });
  assert.is(declinedText({ ...sources, calibration: { ...sources.calibration, ...nothing } }, false), "");
});

test("workflows without a certificate, or in tiers that the policy excludes, are not routed", () => {
  const ids = (changed: Partial<typeof sources>) =>
    routedWorkflows({ ...sources, ...changed }).map(({ workflow_id: id }) => id);
  const certified = { ...sources.calibration, certified_workflows: ["find"] } as unknown as typeof sources.calibration;
  assert.equal(ids({ calibration: certified }), ["find"]);
  assert.equal(ids({ policy: { ...defaultPolicy, allowed_tiers: ["high"] } }), ["cancel"]);
  assert.equal(workflowQuestions([], []), []);
});

test("a long catalog is shortened and counted; equal confirmations are one sentence", () => {
  const many = Array.from({ length: 240 }, (_, n) => aWorkflow({ workflow_id: `w${n}`, confirmation: "always" }));
  const all = routedWorkflows({ ...sources, catalog: aCatalog(many) });
  const { workflows, listed } = listedWorkflows(all);
  assert.equal([workflows, listed.length], [240, 100]);
  assert.match(workflowQuestions(all, [])[0]?.answer ?? "", "By the catalog, all routes need a confirmation.");
  const free = all.map((one) => ({ ...one, confirmation: "never" }));
  assert.match(workflowQuestions(free, [])[0]?.answer ?? "", "By the catalog, no route needs a confirmation.");
  assert.is(workflowQuestions(all, []).length, 1, "nothing was tested");
});

test("of many wrong routes the page lists twenty and counts all", () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ id: `r-${at}`, right: null, routed: "find" }));
  const { routes, listed } = listedWrongRoutes(many);
  assert.equal([routes, listed.length, listed[0]], [30, 20, { id: "r-0", right: "(out of scope)", routed: "find" }]);
});
