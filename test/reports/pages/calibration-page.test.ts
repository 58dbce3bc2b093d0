import { chartsOf } from "../../../reports/blocks.js";
import { calibrationBlocks } from "../../../reports/calibration/calibration-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { renderMarkdown } from "../../../reports/render-markdown.js";
import { assert, test } from "../../support/test.js";
import { aClaim, aShortlist } from "../../support/builders.js";
import { aCalibration } from "../an-evaluation.js";
import { aCalibrationPage, aSweptClaim } from "./page-fixtures.js";

test("the promise stands in one sentence, and its basis after it", () => {
  const { promise, basis, certified } = aCalibrationPage();
  assert.is(certified, true);
  assert.match(promise, /^When Sluice routes a request, [^.]+\.$/);
  assert.match(basis, /^Measured on 58 workflows/);
});

test("the path has every tested threshold, the one that ships and the first that failed", () => {
  const [sweep] = aCalibrationPage().sweeps;
  const data = sweep?.data;
  assert.is(data?.steps.length, aSweptClaim().trace.length);
  assert.equal([data?.operating?.confidence, data?.firstFailed?.confidence], [0.8, 0.79]);
  assert.is(data?.operating?.coverage, 460 / 900);
  assert.match(
    sweep?.caption ?? "",
    /19 of 20 tests passed\. Certified is at most 10% at threshold 0\.8: the upper limit of wrong routes is 8\.4%\. The test of 10% at threshold 0\.79 failed/,
  );
});

test("each step names its target: that of the sequence, otherwise the planned one, which the failed step missed", () => {
  const swept = aSweptClaim();
  const trace = swept.trace.map((step) => (step.passed ? { ...step, target_risk: 0.3 } : step));
  const calibration = aCalibration({ claims: [{ ...swept, target_risk: 0.3, trace }] });
  const planned = `${100 * calibration.fit.target_risk}%`;
  const [sweep] = aCalibrationPage({ calibration }).sweeps;
  assert.equal(new Set(sweep?.table.rows.map(([target]) => target)), new Set(["30%", planned]));
  assert.is(sweep?.table.rows.at(-1)?.[0], planned);
  assert.match(sweep?.caption ?? "", `The test of ${planned} at`);
});

test("a calibration that certifies nothing says so, shows no shipped threshold, and lists what abstains", () => {
  const failed = aClaim({
    certified: false,
    promise: "Nothing is certified",
    basis: "12 more workflows would be enough.",
    trace: [],
  });
  const page = aCalibrationPage({ calibration: aCalibration({ claims: [failed] }), reliability: null });
  assert.is(page.certified, false);
  assert.is(page.sweeps[0]?.data, null);
  assert.ok(page.leftOut.some((sentence) => sentence.startsWith("Tier critical routes nothing: ")));
  assert.match(renderMarkdown(calibrationBlocks(page)), /\*\*not certified\*\*: Nothing is certified/);
});

test("a rising risk is found above 1.645 only", () => {
  const withStatistic = (statistic: number) =>
    aCalibrationPage({ calibration: aCalibration({ rising_risk: { statistic, power: 0.9 } }) }).risingRisk;
  assert.match(withStatistic(1.645), /^There is no evidence of it/);
  assert.match(withStatistic(1.65), /^Yes, there is evidence of it.*does not cover/);
});

test("equal models give equal bytes, and HTML and Markdown hold the same numbers", async () => {
  const html = await renderHtml(calibrationBlocks(aCalibrationPage()));
  assert.is(await renderHtml(calibrationBlocks(aCalibrationPage())), html);
  const markdown = renderMarkdown(calibrationBlocks(aCalibrationPage()));
  for (const shown of ["460", "8.4%", "about 40 more workflows", "c".repeat(64), "One warning."]) {
    assert.ok(html.includes(shown) && markdown.includes(shown), shown);
  }
});

test("what is promised of shortlists stands in the page with its figures, and nothing where none are made", async () => {
  const page = aCalibrationPage({ calibration: aCalibration({ shortlist: aShortlist() }) });
  assert.equal(page.shortlist?.rows, [["4 of 200", "4.53%", "1.60", "1.0%", "82.5%", "0.05", "0.0001"]]);
  for (const text of [await renderHtml(calibrationBlocks(page)), renderMarkdown(calibrationBlocks(page))]) {
    assert.match(text, aShortlist().sentence);
    assert.match(text, "82.5%");
  }
  assert.is(aCalibrationPage().shortlist, null);
});

test("the page has no script and makes no network request", async () => {
  const html = await renderHtml(calibrationBlocks(aCalibrationPage()));
  assert.not.match(html, /<script|src=|href="http/);
  assert.match(html, /default-src 'none'; style-src/);
});

test("links go to neighbouring pages", async () => {
  const html = await renderHtml(
    calibrationBlocks(aCalibrationPage({ links: [{ label: "Evaluation", file: "report.html" }] })),
  );
  assert.match(html, /<a href="report\.html">Evaluation<\/a>/);
});

test("the page has a chart for each claim, both reliabilities and the plan", () => {
  assert.equal(
    chartsOf(calibrationBlocks(aCalibrationPage())).map(({ id }) => id),
    ["threshold-sweep-1", "reliability-before", "reliability-after", "plan-targets"],
  );
});
