import { bucketMeanings } from "../../../src/documents/choices.js";
import { counted, formatCount, formatShare } from "../../../src/documents/number-text.js";
import type { Share } from "../../../src/documents/rate.js";
import { findErrors, type FoundErrors } from "../../../stages/requests.js";
import { shortId } from "../../../src/base/text.js";
import { table } from "../../table.js";
import { workflowText } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalErrorsSpec } from "../../specs/eval.js";

/** Maximum number of displayed rows per table of counts; `--json` has all. */
const shownGroups = 8;

export const evalErrors: WorkOf<typeof evalErrorsSpec> = async (context, args) => {
  const { found, warnings } = await findErrors(context, args);
  const [first] = found.errors;
  const explain = first && context.next("eval", "explain", first.id, "--run", shortId(found.run));
  return {
    result: found,
    lines: [...countLines(found), ...listLines(found)],
    warnings,
    next:
      explain === undefined
        ? []
        : [
            ...(args.withTexts ? [] : [context.next("eval", "errors", "--with-texts")]),
            explain,
            context.next("label", "FILE"),
          ],
  };
};

/** Cells with `k / n` and its value. */
const rateCells = (rate: Share): readonly string[] => [
  `${formatCount(rate.k)} / ${formatCount(rate.n)}`,
  formatShare(rate.estimate),
];

function countLines({ run, thresholds, requests, fold, buckets, pairs, groups }: FoundErrors): readonly string[] {
  const decided = thresholds === null ? "no thresholds" : `thresholds ${shortId(thresholds)}`;
  const where =
    fold === null ? "as the claim counts them" : fold === "all" ? "of all folds" : `of ${fold.toUpperCase()}`;
  const dimensions = [...new Set(groups.map(({ dimension }) => dimension))];
  return [
    `run ${shortId(run)}, ${decided}, ${counted(requests, "request")} ${where}`,
    "",
    ...table(
      buckets.map(({ bucket, rate }) => [bucket, ...rateCells(rate), bucketMeanings[bucket]]),
      ["bucket", "requests", "share", "meaning"],
    ),
    ...(pairs.length === 0
      ? []
      : [
          "",
          ...table(
            pairs
              .slice(0, shownGroups)
              .map((pair) => [
                workflowText(pair.right_workflow_id),
                pair.first_workflow_id,
                `${formatCount(pair.requests)} / ${formatCount(pair.of)}`,
                formatCount(pair.routed),
              ]),
            ["right workflow", "ranked first", "requests", "routed"],
          ),
          ...more(pairs.length - shownGroups, "pairs"),
        ]),
    ...dimensions.flatMap((dimension) => {
      const own = groups.filter((group) => group.dimension === dimension && group.wrong.k > 0);
      if (own.length === 0) return [];
      const rows = own.slice(0, shownGroups).map(({ value, wrong }) => [value, ...rateCells(wrong)]);
      return ["", ...table(rows, [`by ${dimension}`, "errors", "share"]), ...more(own.length - shownGroups, "values")];
    }),
  ];
}

const more = (number: number, what: string, option = "use --json"): readonly string[] =>
  number > 0 ? [`${formatCount(number)} more ${what} (${option})`] : [];

function listLines({ found, errors }: FoundErrors): readonly string[] {
  if (errors.length === 0) return found === 0 ? ["", "no request matches the filter"] : [];
  const isMixed = new Set(errors.map(({ fold }) => fold)).size > 1;
  const rows = errors.map((row) => [
    row.id,
    ...(isMixed ? [row.fold] : []),
    row.bucket,
    workflowText(row.workflow_id),
    row.first_workflow_id ?? "-",
    row.confidence?.toFixed(6) ?? "-",
    row.reason_code ?? row.error_code ?? "-",
  ]);
  const folds = isMixed ? ["fold"] : [];
  const heading = ["request", ...folds, "bucket", "right workflow", "ranked first", "confidence", "reason"];
  return [
    "",
    ...table(rows, heading).flatMap((line, index) => {
      const text = errors[index - 1]?.text;
      return text === undefined || text === null ? [line] : [line, `    ${JSON.stringify(text)}`];
    }),
    ...more(found - errors.length, "requests", "raise --limit"),
  ];
}
