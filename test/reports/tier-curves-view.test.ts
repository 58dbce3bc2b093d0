import { Ajv } from "ajv";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compile, type TopLevelSpec } from "vega-lite";
import { reliabilitySpec } from "../../reports/charts/reliability.js";
import { riskCoverageSpec } from "../../reports/charts/risk-coverage.js";
import { scoresSpec } from "../../reports/charts/scores.js";
import { tierCurveSpec } from "../../reports/charts/tier-curve.js";
import { buildReportModel } from "../../reports/view-model.js";
import type { ReportedRequest } from "../../reports/reported-request.js";
import { assert, pluck, test } from "../support/test.js";
import { aReportInput } from "./an-evaluation.js";
import { reportedRequestsOf } from "./reported-requests.js";

const requests = reportedRequestsOf(240);
const model = buildReportModel(aReportInput({ requests }));

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) return assert.unreachable("expected chart data") as never;
  return value;
}

const curveOf = (all: readonly ReportedRequest[], title: string) =>
  present(buildReportModel(aReportInput({ requests: all })).tierCurves.find((view) => view.title === title)?.data);

test("each tier has a curve of its own requests", () => {
  assert.equal(pluck(model.tierCurves, "title"), ["Tier low", "Tier medium", "Tier high", "Tier critical"]);
  const low = requests.filter(({ tier, routable }) => tier === "low" && routable);
  const wrong = low.filter(({ firstIsRight }) => !firstIsRight).length;
  const last = present(curveOf(requests, "Tier low").points.at(-1));
  assert.is(last.risk, wrong / low.length);
  assert.is(last.coverage, low.length / requests.filter(({ tier }) => tier === "low").length);
});

test("the mark in force accepts exactly the requests at or above the threshold", () => {
  const own = requests.filter(({ tier }) => tier === "low");
  const accepted = own.filter(({ routable, confidence }) => routable && confidence >= 0.85);
  const { operating, certifiedTo, firstFailed } = curveOf(requests, "Tier low");
  assert.is(operating?.coverage, accepted.length / own.length);
  assert.is(certifiedTo, accepted.length / own.length);
  assert.ok(firstFailed !== null && firstFailed.coverage > accepted.length / own.length);
});

test("a tier that abstains has a curve and no mark", () => {
  const { operating, certifiedTo } = curveOf(requests, "Tier critical");
  assert.equal([operating, certifiedTo], [null, null]);
});

test("requests that another rule declines are on no curve and in the number of requests", () => {
  const declined = requests.map((request) => ({ ...request, routable: request.confidence < 0.85 }));
  assert.is(curveOf(declined, "Tier low").operating, null);
});

test("the scores of each population add up to it", () => {
  const { bins } = present(model.scores.data);
  for (const population of ["in scope", "out of scope, near", "out of scope, far"]) {
    const own = bins.filter((bin) => bin.population === population);
    assert.ok(Math.abs(own.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9, population);
  }
  assert.is(
    bins.reduce((sum, bin) => sum + bin.requests, 0),
    requests.length,
  );
});

const schema = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("vega-lite/vega-lite-schema.json"), "utf8"),
) as object;
const isVegaLite = new Ajv({ strict: false, validateFormats: false }).compile(schema);

const specs: Readonly<Record<string, TopLevelSpec>> = {
  "tier-curve": tierCurveSpec(present(model.tierCurves[0]?.data)),
  "risk-coverage": riskCoverageSpec(present(model.riskCoverage.data)),
  reliability: reliabilitySpec(present(model.reliability.data)),
  scores: scoresSpec(present(model.scores.data)),
};

for (const [name, spec] of Object.entries(specs)) {
  test(`${name}: the spec is valid vega-lite and compiles without a warning`, () => {
    assert.ok(isVegaLite(JSON.parse(JSON.stringify(spec))), JSON.stringify(isVegaLite.errors?.slice(0, 3)));
    const warnings: unknown[] = [];
    const warn = (...message: readonly unknown[]) => warnings.push(message);
    const silent = { level: () => logger, info: () => logger, debug: () => logger, error: () => logger };
    const logger = { ...silent, warn: (...message: readonly unknown[]) => (warn(...message), logger) };
    compile(spec, { logger: logger as never });
    assert.equal(warnings, []);
  });
}
