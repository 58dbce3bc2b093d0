import { reliabilitySpec } from "../../reports/charts/reliability.js";
import { riskCoverageSpec } from "../../reports/charts/risk-coverage.js";
import { renderChart } from "../../reports/render-chart.js";
import { buildReportModel } from "../../reports/view-model.js";
import { assert, test } from "../support/test.js";
import { aReportInput } from "./an-evaluation.js";

const model = buildReportModel(aReportInput());

function present<T>(value: T | null): T {
  if (value === null) return assert.unreachable("expected chart data") as never;
  return value;
}

const specs = {
  "risk-coverage": riskCoverageSpec(present(model.riskCoverage.data)),
  reliability: reliabilitySpec(present(model.reliability.data)),
};

test("the same spec gives the same bytes, however many charts were drawn before", async () => {
  for (const spec of Object.values(specs)) {
    const first = await renderChart(spec, { id: "a", alt: "x" });
    await renderChart(specs.reliability, { id: "b", alt: "y" });
    assert.is(await renderChart(spec, { id: "a", alt: "x" }), first);
  }
});

test("ids start with the given prefix and every reference has its id", async () => {
  const clipped = {
    data: { values: [{ x: 1, y: 2 }] },
    mark: { type: "point" as const, clip: true },
    encoding: {
      x: { field: "x", type: "quantitative" as const },
      y: { field: "y", type: "quantitative" as const },
    },
  };
  const svg = await renderChart(clipped, { id: "chart", alt: "x" });
  const ids = [...svg.matchAll(/\bid="([^"]+)"/g)].map((match) => match[1]);
  const references = [...svg.matchAll(/url\(#([^)]+)\)/g)].map((match) => match[1]);
  assert.equal(ids, ["chart-1"]);
  assert.equal(references, ["chart-1"]);
});

test("a chart is one image with an escaped text alternative", async () => {
  const svg = await renderChart(specs.reliability, { id: "a", alt: 'Risk < 5% & "safe"' });
  assert.ok(svg.includes('role="img" aria-label="Risk &lt; 5% &amp; &quot;safe&quot;"'));
  assert.is(svg.match(/\srole=/g)?.length, 1);
});

test("the risk-coverage chart names every target and every tier that has a threshold", async () => {
  const svg = await renderChart(specs["risk-coverage"], { id: "a", alt: "x" });
  for (const label of ["low ≤ 0.15", "medium ≤ 0.1", "high ≤ 0.05", "critical ≤ 0.02"]) assert.ok(svg.includes(label));
  const legend = svg.slice(svg.indexOf("role-legend"));
  assert.ok(legend.includes(">high<") && !legend.includes(">critical<"));
});
