import { counted } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { writeComparisonPage } from "../../../stages/report/write-comparison-page.js";
import type { WorkOf } from "../../command.js";
import type { reportComparisonSpec } from "../../specs/report.js";

export const reportComparison: WorkOf<typeof reportComparisonSpec> = async (context, args) => {
  const { page, a, b, ...written } = await writeComparisonPage(context, {
    a: { run: args.a, calibration: args.calibrationA, minConfidence: args.minConfidenceA },
    b: { run: args.b, calibration: args.calibrationB, minConfidence: args.minConfidenceB },
    fold: args.fold,
    file: args.out,
    charts: args.charts,
  });
  const { word, sentence, detail } = page.verdict;
  return {
    result: {
      file: written.file,
      media: written.media,
      a: { run: a.runSha256, thresholds: a.calibrationSha256 },
      b: { run: b.runSha256, thresholds: b.calibrationSha256 },
      verdict: word,
      sentence,
      charts: written.charts,
    },
    fields: [
      ["A", `run ${shortId(a.runSha256)}`],
      ["B", `run ${shortId(b.runSha256)}`],
      ["file", context.here(written.file)],
      ...(written.charts.length === 0 ? [] : [["charts", counted(written.charts.length, "file")] as const]),
      ["verdict", `${word}: ${sentence}`],
      ["flips", detail],
    ],
    warnings: page.warnings,
    next: [],
  };
};
