import { PNG } from "pngjs";
import { chartsOf } from "../../../reports/blocks.js";
import { calibrationBlocks } from "../../../reports/calibration/calibration-blocks.js";
import { comparisonBlocks } from "../../../reports/comparison/comparison-blocks.js";
import { chartFiles } from "../../../reports/chart-file.js";
import { pngOf } from "../../../stages/report/page-file.js";
import { aCalibrationPage, aComparisonPage } from "../../reports/pages/page-fixtures.js";
import { assert, test } from "../../support/test.js";

const pictures = (
  await chartFiles([
    ...chartsOf(calibrationBlocks(aCalibrationPage())),
    ...chartsOf(comparisonBlocks(aComparisonPage())),
  ])
).filter(({ name }) => name.endsWith(".svg"));

/** How many pixels of two pictures of equal size differ. */
function different(a: PNG, b: PNG): number {
  assert.is(a.data.length, b.data.length);
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if (a.data.readUInt32BE(at) !== b.data.readUInt32BE(at)) count++;
  }
  return count;
}

const pngFrom = async (svg: string): Promise<PNG> => PNG.sync.read(Buffer.from(await pngOf(Buffer.from(svg, "utf8"))));

test("the texts of every chart leave pixels in its PNG", async () => {
  for (const { name, bytes } of pictures) {
    const svg = Buffer.from(bytes).toString("utf8");
    const whole = await pngFrom(svg);
    const texts = [...svg.matchAll(/<text(?![^>]* opacity="0")[^>]*>([^<]*\S[^<]*)<\/text>/g)];
    assert.ok(texts.length > 1, name);
    for (const [element, content] of [texts[0], texts.at(-1)].filter((text) => text !== undefined)) {
      const without = await pngFrom(svg.replace(element, ""));
      assert.ok(different(whole, without) > 10, `${name}: "${content}" is missing`);
    }
  }
});

test("letters of each kind have their own shape", async () => {
  const letter = (content: string) =>
    pngFrom(
      `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15" font-size="14">${content}</text></svg>`,
    );
  const drawn = await Promise.all(["a", "8", "≤", "−", "→", "%", "é", "ж", "Ω"].map(letter));
  for (const [index, first] of drawn.entries()) {
    for (const second of drawn.slice(index + 1)) assert.ok(different(first, second) > 10);
  }
});

test("a PNG is twice as large as its chart, on white, and the same each time", async () => {
  for (const { name, bytes } of pictures) {
    const png = await pngOf(bytes);
    const { width, height, data } = PNG.sync.read(Buffer.from(png));
    const [, chartWidth, chartHeight] = /width="(\d+)" height="(\d+)"/.exec(Buffer.from(bytes).toString("utf8")) ?? [];
    assert.equal([width, height], [2 * Number(chartWidth), 2 * Number(chartHeight)], name);
    assert.is(data.readUInt32BE(0), 0xffffffff, name);
    assert.equal(await pngOf(bytes), png, name);
  }
});
