import { chartsOf } from "../../../reports/blocks.js";
import { calibrationBlocks } from "../../../reports/calibration/calibration-blocks.js";
import { comparisonBlocks } from "../../../reports/comparison/comparison-blocks.js";
import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { riskCoverageSpec } from "../../../reports/charts/risk-coverage.js";
import { chartFiles } from "../../../reports/chart-file.js";
import type { PageChart } from "../../../reports/blocks.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { assert, test } from "../../support/test.js";
import { aCalibrationPage, aComparisonPage } from "./page-fixtures.js";

/** A column of a page of 1,400 pixels with three charts in a row; text of 12 pixels keeps 11 in charts up to this width. */
const widest = Math.floor((325 * 12) / 11);

const drawn: readonly PageChart[] = [
  ...chartsOf(calibrationBlocks(aCalibrationPage())),
  ...chartsOf(comparisonBlocks(aComparisonPage())),
];
const files = await chartFiles(drawn);
const textOf = (name: string): string =>
  Buffer.from(files.find((each) => each.name === name)?.bytes ?? []).toString("utf8");
const widthOf = (svg: string): number => Number(/viewBox="\S+ \S+ (\S+) /.exec(svg)?.[1]);

test("every chart has its spec and its picture, and the spec draws that picture by itself", async () => {
  assert.is(files.length, 2 * drawn.length);
  for (const { id } of drawn) {
    const spec = JSON.parse(textOf(`${id}.vl.json`)) as TopLevelSpec;
    const warnings: string[] = [];
    const logger = { warn: (...said: readonly unknown[]) => warnings.push(said.join(" ")) };
    const quiet = { ...logger, level: () => quiet, error: () => quiet, info: () => quiet, debug: () => quiet };
    const compiled = compile(spec, { logger: quiet as never });
    assert.equal(warnings, [], id);
    const view = new View(parse(compiled.spec), { renderer: "none" });
    assert.is(widthOf(await view.toSVG()), widthOf(textOf(`${id}.svg`)), id);
    view.finalize();
  }
});

test("no file of a chart leans on the page: colours are values, sizes are fixed", () => {
  for (const { name } of files) {
    assert.not.match(textOf(name), /var\(--/, name);
    if (name.endsWith(".svg")) assert.match(textOf(name), /^<svg [^>]*width="\d+" height="\d+"/, name);
  }
});

test("no chart is so wide that its text falls below 11 pixels on a page", async () => {
  const rates = riskTiers.map((tier, index) => ({ tier, coverage: 0.2 * index, risk: 0.02 }));
  const allTiers = riskCoverageSpec({
    points: [
      { coverage: 0.2, risk: 0.02, lower: 0, upper: 0.05 },
      { coverage: 1, risk: 0.3, lower: 0.2, upper: 0.4 },
    ],
    targets: [{ label: "overall", value: 0.1 }],
    operatingPoints: rates,
    riskMax: 0.4,
  });
  const more = await chartFiles(drawn.slice(0, 1).map((chart) => ({ ...chart, id: "all-tiers", spec: allTiers })));
  assert.is(more.length, 2);
  const pictures = [...files, ...more].filter(({ name }) => name.endsWith(".svg"));
  const wide = pictures
    .map(({ name, bytes }) => ({ name, width: widthOf(Buffer.from(bytes).toString("utf8")) }))
    .filter(({ width }) => !(width <= widest));
  assert.equal(wide, []);
});

test("a chart without data has no files", async () => {
  assert.equal(await chartFiles(drawn.map((chart) => ({ ...chart, spec: null }))), []);
});
