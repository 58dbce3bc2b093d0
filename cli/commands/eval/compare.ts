import { compareRuns, type RunComparison } from "../../../stages/compare.js";
import { runText } from "../../../reports/comparison/comparison-page.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalCompareSpec } from "../../specs/eval.js";
import { describeComparison } from "../../../reports/text/comparison-text.js";

export const evalCompare: WorkOf<typeof evalCompareSpec> = async (context, args, { flips: mostFlips, junit }) => {
  const compared = await compareRuns(context, args);
  const { a, b, comparison, page, texts, gates, warnings, written } = compared;
  const { word, sentence, detail } = page.verdict;
  const flips = comparison.flips.map((flip) => (texts === null ? flip : { ...flip, text: texts.get(flip.id) ?? null }));
  return {
    result: {
      a: sideOf(a),
      b: sideOf(b),
      fold: a.evaluation.fold,
      verdict: word,
      sentence,
      comparison: { ...comparison, flips },
      file: written?.file ?? null,
    },
    fields: [
      ["A", sideText(a)],
      ["B", sideText(b)],
      ["verdict", `${word}: ${sentence}`],
      ["flips", detail],
      ...(written === null ? [] : [["file", context.here(written.file)] as const]),
    ],
    lines: ["", ...describeComparison(comparison, { texts, mostFlips })],
    gates,
    gateReport: { junit },
    warnings,
  };
};

type Side = RunComparison["a"];

const sideOf = ({ runSha256: run, note, calibrationSha256: thresholds }: Side) => ({ run, note, thresholds });

const sideText = ({ calibrationSha256, ...side }: Side): string =>
  `${runText(side)}, ${calibrationSha256 === null ? "one confidence" : `thresholds ${shortId(calibrationSha256)}`}`;
