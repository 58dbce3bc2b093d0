import { command, say, type Text } from "../../../src/base/error.js";
import { bucketMeanings } from "../../../src/documents/choices.js";
import type { DecidedRequest } from "../../../eval/requests/decided-request.js";
import { shareIntervalText } from "../../../reports/text/evaluation-rows.js";
import { counted, formatCount, formatShare } from "../../../src/documents/number-text.js";
import type { Rate } from "../../../src/documents/rate.js";
import { findErrors, type FoundErrors } from "../../../stages/requests.js";
import { shortId } from "../../../src/base/text.js";
import { table } from "../../table.js";
import { workflowText } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalErrorsSpec } from "../../specs/eval.js";

/** Maximum number of displayed rows per table of counts; `--json` has all. */
const shownGroups = 8;

export const evalErrors: WorkOf<typeof evalErrorsSpec> = async (context, args, { limit }) => {
  const found = await findErrors(context, args);
  const shown = found.found.slice(0, limit);
  const [first] = shown;
  return {
    result: {
      run: found.run.sha256,
      thresholds: found.thresholds?.sha256 ?? null,
      fold: found.fold,
      requests: found.requests.length,
      buckets: found.buckets,
      pairs: found.pairs,
      groups: found.groups,
      found: found.found.length,
      errors: shown.map((request) => errorJson(request, found.texts)),
    },
    lines: [...countLines(found), ...listLines(found, shown)],
    warnings: [...found.warnings, ...testedWarning(found)],
    next:
      first === undefined
        ? []
        : [
            ...(found.texts === null || found.texts === undefined
              ? [context.next("eval", "errors", "--with-texts")]
              : []),
            context.next("eval", "explain", first.record.id, "--run", shortId(found.run.sha256)),
            context.next("label", "FILE"),
          ],
  };
};

/** The decision, with the fields that the request reached. */
function decisionJson({ outcome }: DecidedRequest) {
  const top = outcome?.top ?? null;
  const decision = outcome?.decision ?? null;
  return {
    ...(top === null ? { tier: null, confidence: null } : { tier: top.risk_tier, confidence: top.confidence }),
    ...(decision === null
      ? { margin: null, decision: null, reason_code: null }
      : { margin: decision.margin, decision: decision.decision, reason_code: decision.reason_code }),
  };
}

function errorJson(request: DecidedRequest, texts: FoundErrors["texts"]) {
  const { record, bucket, stage } = request;
  return {
    id: record.id,
    bucket,
    stage,
    fold: record.fold,
    workflow_id: record.workflow_id,
    first_workflow_id: request.outcome?.top?.workflow_id ?? null,
    ...decisionJson(request),
    gold_rank: record.gold_rank,
    slices: record.slices,
    error_code: record.error_code,
    ...(texts === null ? {} : { text: texts.get(record.id) ?? null }),
  };
}

/** Warns about acting on tested requests; empty if none is shown. */
function testedWarning({ requests }: FoundErrors): readonly Text[] {
  if (!requests.some(({ record: { fold } }) => fold === "tune" || fold === "certify")) return [];
  return [
    say`Requests of TUNE and CERTIFY test the claim. If you delete, rewrite or relabel one, or make it an example, it remains in the test as is. Correct wrong labels with: ${command`sluice dataset relabel ROW=LABEL ROW=LABEL --reason REASON`}.`,
  ];
}

/** Cells with `k / n` and its interval. */
const rateCells = (rate: Rate): readonly string[] => [
  `${formatCount(rate.k)} / ${formatCount(rate.n)}`,
  formatShare(rate.estimate),
  shareIntervalText(rate),
];

function countLines({ run, thresholds, requests, fold, buckets, pairs, groups }: FoundErrors): readonly string[] {
  const decided = thresholds === null ? "no thresholds" : `thresholds ${shortId(thresholds.sha256)}`;
  const where =
    fold === null ? "as the claim counts them" : fold === "all" ? "of all folds" : `of ${fold.toUpperCase()}`;
  const dimensions = [...new Set(groups.map(({ dimension }) => dimension))];
  return [
    `run ${shortId(run.sha256)}, ${decided}, ${counted(requests.length, "request")} ${where}`,
    "",
    ...table(
      buckets.map(({ bucket, rate }) => [bucket, ...rateCells(rate), bucketMeanings[bucket]]),
      ["bucket", "requests", "share", "95% interval", "meaning"],
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
      return [
        "",
        ...table(rows, [`by ${dimension}`, "errors", "share", "95% interval"]),
        ...more(own.length - shownGroups, "values"),
      ];
    }),
  ];
}

const more = (number: number, what: string, option = "use --json"): readonly string[] =>
  number > 0 ? [`${formatCount(number)} more ${what} (${option})`] : [];

function listLines(
  { found, texts }: Pick<FoundErrors, "found" | "texts">,
  shown: readonly DecidedRequest[],
): readonly string[] {
  if (shown.length === 0) return found.length === 0 ? ["", "no request matches the filter"] : [];
  const folds = new Set(shown.map(({ record: { fold } }) => fold));
  const foldCells = (request: DecidedRequest): readonly string[] => (folds.size > 1 ? [request.record.fold] : []);
  const rows = shown.map((request) => {
    const [id, ...cells] = errorCells(request);
    return [id, ...foldCells(request), ...cells];
  });
  return [
    "",
    ...table(rows, [
      "request",
      ...(folds.size > 1 ? ["fold"] : []),
      "bucket",
      "right workflow",
      "ranked first",
      "confidence",
      "reason",
    ]).flatMap((line, index) => {
      const text = texts === null || index === 0 ? undefined : texts.get(shown[index - 1]?.record.id ?? "");
      return text === undefined ? [line] : [line, `    ${JSON.stringify(text)}`];
    }),
    ...more(found.length - shown.length, "requests", "raise --limit"),
  ];
}

function errorCells(request: DecidedRequest): readonly [string, ...string[]] {
  const { record, outcome, bucket } = request;
  return [
    record.id,
    bucket,
    workflowText(record.workflow_id),
    outcome?.top?.workflow_id ?? "-",
    outcome?.top === null || outcome === null ? "-" : outcome.top.confidence.toFixed(6),
    outcome?.decision?.reason_code ?? record.error_code ?? "-",
  ];
}
