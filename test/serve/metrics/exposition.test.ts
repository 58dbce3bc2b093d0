import { Counter, Histogram } from "../../../serve/metrics/instruments.js";
import { expositionText } from "../../../serve/metrics/exposition.js";
import { assert, test } from "../../support/test.js";
import { parseExposition, sampleValue } from "../support/parse-exposition.js";

test("label values and help texts are escaped", () => {
  const counter = new Counter("odd_total", "a \\ and a\nline end");
  counter.add({ label: 'quote " backslash \\ line\nend' });
  const text = expositionText([counter.family()]);
  assert.is(
    text,
    '# HELP odd_total a \\\\ and a\\nline end\n# TYPE odd_total counter\nodd_total{label="quote \\" backslash \\\\ line\\nend"} 1\n',
  );
  assert.is(parseExposition(text)[0]?.samples.length, 1);
});

test("a counter counts each combination of labels alone", () => {
  const counter = new Counter("c_total", "c");
  counter.add({ a: "1", b: "2" });
  counter.add({ a: "1", b: "2" }, 4);
  counter.add({ a: "12", b: "" });
  const families = parseExposition(expositionText([counter.family()]));
  assert.is(sampleValue(families, "c_total", { a: "1", b: "2" }), 5);
  assert.is(sampleValue(families, "c_total", { a: "12", b: "" }), 1);
});

test("a histogram has rising totals with inclusive limits, sum and count", () => {
  const histogram = new Histogram("h", "h", [1, 2]);
  for (const value of [0.5, 1, 1.5, 2, 9]) histogram.observe({ stage: "x" }, value);
  const families = parseExposition(expositionText([histogram.family()]));
  assert.equal(
    families[0]?.samples.map(({ name, labels, value }) => [name, labels["le"], value]),
    [
      ["h_bucket", "1", 2],
      ["h_bucket", "2", 4],
      ["h_bucket", "+Inf", 5],
      ["h_sum", undefined, 14],
      ["h_count", undefined, 5],
    ],
  );
});

test("numbers that are not finite have their own words", () => {
  const family = { name: "g", help: "g", type: "gauge" } as const;
  const samples = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map((value) => ({
    labels: {},
    value,
  }));
  assert.match(expositionText([{ ...family, samples }]), /g \+Inf\ng -Inf\ng NaN\n$/);
});
