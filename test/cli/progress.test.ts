import { createProgress, type ProgressStyle } from "../../cli/progress.js";
import { stepOf } from "../../store/step-progress.js";
import { assert, test } from "../support/test.js";

function recorder(style: ProgressStyle) {
  const written: string[] = [];
  const time = { ms: 0 };
  const progress = createProgress({ style, write: (text) => written.push(text), clock: () => time.ms, columns: null });
  return { written, time, progress };
}

test("without a terminal there is one line at each quarter", () => {
  const { written, progress } = recorder("milestones");
  progress.start("scoring", 1000);
  for (let finished = 1; finished <= 1000; finished++) progress.update(finished);
  progress.done();
  assert.equal(written, [
    "scoring: 25% (250/1,000)\n",
    "scoring: 50% (500/1,000)\n",
    "scoring: 75% (750/1,000)\n",
    "scoring: 100% (1,000/1,000)\n",
  ]);
});

test("a step that marks its end alone writes one line without a terminal", () => {
  const { written, progress } = recorder("milestones");
  progress.start("planning", 680, "end");
  for (let finished = 1; finished <= 680; finished++) progress.update(finished);
  progress.update(680);
  progress.done();
  assert.equal(written, ["planning: 100% (680/680)\n"]);
});

test("a step begins with the first work done, and begins again when the work does", () => {
  const { written, progress } = recorder("milestones");
  const listen = stepOf(progress, "probe");
  for (const done of [2, 4, 1, 4]) listen(done, 4);
  assert.equal(written, ["probe: 50% (2/4)\n", "probe: 100% (4/4)\n", "probe: 25% (1/4)\n", "probe: 100% (4/4)\n"]);
});

test("on a terminal the line is rewritten at most ten times a second", () => {
  const { written, time, progress } = recorder("line");
  progress.start("scoring", 10_000);
  for (let finished = 1; finished <= 1000; finished++) {
    time.ms += 1;
    progress.update(finished);
  }
  assert.is(written.length, 11);
  assert.ok(written.every((text) => text.startsWith("\r") && text.endsWith("\u001b[K")));
});

test("the line shows counts and the time that is left, and ends with a line feed", () => {
  const { written, time, progress } = recorder("line");
  progress.start("scoring", 4);
  time.ms = 2000;
  progress.update(1);
  assert.is(written.at(-1), "\rscoring  █████░░░░░░░░░░░░░░░  1/4  ~6 s left\u001b[K");
  progress.update(4);
  progress.done();
  progress.done();
  assert.equal(written.slice(-2), ["\rscoring  ████████████████████  4/4\u001b[K", "\n"]);
});

test("a step of nothing is complete at once", () => {
  const { written, progress } = recorder("line");
  progress.start("scoring", 0);
  assert.is(written.at(-1), "\rscoring  ████████████████████  0/0\u001b[K");
});

test("a new step ends the one before it", () => {
  const { written, progress } = recorder("line");
  progress.start("one", 1);
  progress.start("two", 1);
  assert.ok(written.includes("\n"));
});

test("switched off, nothing is written", () => {
  const { written, progress } = recorder("off");
  progress.start("scoring", 2);
  progress.update(2);
  progress.done();
  assert.equal(written, []);
});
