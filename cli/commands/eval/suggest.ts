import { counted, formatCount, formatDifference } from "../../../src/documents/number-text.js";
import { SluiceError } from "../../../src/base/error.js";
import type { CatalogProposal } from "../../../stages/suggest/edit-catalog.js";
import type { UnlabelledText } from "../../../stages/suggest/declined-requests.js";
import type { RequestToLabel } from "../../../stages/suggest/requests-to-label.js";
import { suggestChanges, type SuggestedChanges, suggestFromDeclined } from "../../../stages/suggest.js";
import type { Gain, MeasuredSuggestion } from "../../../stages/suggest/choose-suggestions.js";
import { shortId } from "../../../src/base/text.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";
import { table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { evalSuggestSpec } from "../../specs/eval.js";

export const evalSuggest: WorkOf<typeof evalSuggestSpec> = async (context, args) => {
  if (args.fromLog !== undefined) return fromDeclined(context, { ...args, fromLog: args.fromLog });
  if (args.take !== undefined && args.out === undefined) {
    throw new SluiceError("USAGE", "--take needs --out", { hint: "Add --out proposed.yaml." });
  }
  const suggested = await suggestChanges(context, {
    run: args.run,
    limit: args.limit,
    requests: Math.max(1, args.requests),
    labels: Math.max(1, args.labels),
    unlabelled: args.unlabelled,
    workers: Math.max(1, args.workers),
    out: args.out,
    take: args.take,
  });
  const { proposal } = suggested;
  const unlabelled = args.withTexts ? suggested.unlabelled : null;
  const shown = { suggested, proposal, unlabelled, withTexts: args.withTexts };
  return {
    result: suggestJson(shown),
    lines: suggestLines(shown),
    warnings:
      suggested.chosenFrom === 0
        ? [
            "Every labelled request tests the claim, and acting on a tested label could invalidate the claim. " +
              `Suggestions need labels that test no claim: split with a FIT fold${args.unlabelled === undefined ? ", or supply texts to be labelled: --unlabelled FILE" : ""}.`,
          ]
        : ["Gains are measured one suggestion at a time on the same requests, so the best one is overestimated."],
    next:
      proposal === null
        ? takeable(suggested.suggestions).map((number) =>
            context.nextLine("eval", "suggest", "--out", "proposed.yaml", "--take", number),
          )
        : [context.nextLine("catalog", "check", proposal.file)],
  };
};

interface DeclinedArguments {
  readonly fromLog: string;
  readonly run: string | undefined;
  readonly limit: number;
  readonly labels: number;
  readonly workers: number;
  readonly withTexts: boolean;
  readonly unlabelled: string | undefined;
  readonly out: string | undefined;
  readonly take: readonly number[] | undefined;
}

/** @throws {SluiceError} USAGE  an option belongs to a different kind of suggestion */
async function fromDeclined(context: CommandContext, args: DeclinedArguments): Promise<ResultParts> {
  const others = (["unlabelled", "out", "take"] as const).filter((name) => args[name] !== undefined);
  if (others.length > 0) {
    throw new SluiceError("USAGE", `--from-log cannot be used with --${others.join(", --")}`, {
      hint: "Run the command once for each: proposals from a log change no catalog.",
    });
  }
  const { run, labels, workers, limit } = args;
  const found = await suggestFromDeclined(context, {
    run,
    labels: Math.max(1, labels),
    workers: Math.max(1, workers),
    file: args.fromLog,
  });
  const { declined } = found;
  const groups = found.groups.slice(0, Math.max(1, limit));
  const textOf = new Map(declined.map(({ id, text }) => [id, text]));
  const more = found.groups.length - groups.length;
  return {
    schema: "eval-suggest-log@1",
    result: {
      run: found.run.sha256,
      catalog: found.catalog.sha256,
      requests: declined.length,
      failed: found.failed,
      more_groups: more,
      groups: groups.map(({ toLabel, ...group }) => ({
        ...group,
        to_label: toLabel.map((id) => ({ id, ...(args.withTexts ? { text: textOf.get(id) ?? null } : {}) })),
      })),
    },
    lines: [
      `run ${shortId(found.run.sha256)}: ${counted(declined.length, "declined request")}, ${counted(found.groups.length, "group")} by the two workflows ranked first`,
      ...groups.flatMap(({ workflows, proposal, sentence, toLabel }, index) => [
        "",
        `${index + 1}. ${proposal}  ${workflows.join(", ") || "no workflow"}`,
        `   ${sentence}`,
        ...(toLabel.length === 0 ? [] : [`   to label: ${toLabel.join(", ")}`]),
        ...(args.withTexts ? toLabel.map((id) => `     ${JSON.stringify(textOf.get(id) ?? "")}`) : []),
      ]),
      ...(more === 0 ? [] : ["", `${counted(more, "more group")}: raise --limit`]),
    ],
    warnings: [
      "Declined requests are not a random sample of traffic: use their labels for examples and FIT rows, never to test a claim.",
    ],
  };
}

/** The number of the first suggestion with a demonstrated gain; empty if there is none. */
export function takeable(suggestions: readonly { readonly gain: Pick<Gain, "verdict"> }[]): readonly string[] {
  const first = suggestions.findIndex(({ gain }) => gain.verdict === "a_better");
  return first < 0 ? [] : [String(first + 1)];
}

interface Shown {
  readonly suggested: SuggestedChanges;
  readonly proposal: CatalogProposal | null;
  /** Unlabelled requests with their texts; null: none are printed. */
  readonly unlabelled: readonly UnlabelledText[] | null;
  readonly withTexts: boolean;
}

function suggestJson({ suggested, proposal, unlabelled, withTexts }: Shown) {
  const { run, catalog, chosenFrom, measuredOn, suggestions, together, toLabel } = suggested;
  const textOf = new Map(unlabelled?.map(({ id: key, text }) => [key, text]));
  return {
    run: run.sha256,
    catalog: catalog.sha256,
    chosen_from: chosenFrom,
    measured_on: measuredOn,
    suggestions: suggestions.map(({ kind, workflows, requests, support, sentence, changes, gain }, index) => ({
      number: index + 1,
      kind,
      workflows,
      requests,
      support,
      sentence,
      gain: gain,
      ...(withTexts ? { changes: changes } : {}),
    })),
    together: together,
    to_label:
      toLabel?.map((request) => ({
        ...request,
        ...(unlabelled === null ? {} : { text: textOf.get(request.id) ?? null }),
      })) ?? null,
    proposal: proposal === null ? null : { ...proposal, gain: proposal.gain },
  };
}

const verdicts: Readonly<Record<Gain["verdict"], string>> = {
  a_better: "better",
  b_better: "worse",
  tied: "no difference shown",
  not_shown: "too little evidence",
};

function gainCells({ in_scope: inScope, before, after, difference, band, verdict }: Gain): readonly string[] {
  return [
    `${formatCount(before)} to ${formatCount(after)} of ${formatCount(inScope)}`,
    difference === null ? "-" : formatDifference(difference),
    band === null ? "-" : `[${formatDifference(band.lower)}, ${formatDifference(band.upper)}]`,
    verdicts[verdict],
  ];
}

function suggestLines(shown: Shown): readonly string[] {
  const { run, chosenFrom, measuredOn, suggestions, together, toLabel } = shown.suggested;
  const rows = [
    ...suggestions.map(({ kind, gain }, index) => [String(index + 1), kind, ...gainCells(gain)]),
    ...(together === null ? [] : [["-", "all examples together", ...gainCells(together)]]),
  ];
  return [
    `run ${shortId(run.sha256)}: chosen from ${counted(chosenFrom, "request")} of FIT and TUNE, measured on ${counted(measuredOn, "other request")} of TUNE`,
    "",
    ...(suggestions.length === 0
      ? [
          chosenFrom === 0
            ? "no suggestion: every labelled request tests the claim"
            : "no suggestion: the requests to learn from have no errors",
        ]
      : table(rows, ["", "kind", "right workflow first", "gain", "95% band", "verdict"])),
    "",
    ...suggestions.flatMap((suggestion, index) => [
      `${index + 1}. ${suggestion.sentence}`,
      ...detailLines(suggestion, shown.withTexts),
    ]),
    ...(toLabel === null
      ? ["To choose texts for labelling, supply unlabelled ones: --unlabelled FILE"]
      : labelLines(toLabel, shown.unlabelled)),
    ...proposalLines(shown.proposal),
  ];
}

function detailLines({ requests, changes }: MeasuredSuggestion, withTexts: boolean): readonly string[] {
  if (withTexts) return changes.map((change) => `     ${JSON.stringify(change)}`);
  return requests.length === 0 ? [] : [`     requests ${requests.join(", ")}`];
}

function labelLines(
  toLabel: readonly RequestToLabel[],
  unlabelled: readonly UnlabelledText[] | null,
): readonly string[] {
  const textOf = new Map(unlabelled?.map(({ id: key, text }) => [key, text]));
  return [
    "",
    ...table(
      toLabel.map(({ id: key, first, second, margin }) => [
        key,
        first ?? "-",
        second ?? "-",
        margin.toFixed(6),
        ...(unlabelled === null ? [] : [JSON.stringify(textOf.get(key) ?? "")]),
      ]),
      ["to label", "first", "second", "margin", ...(unlabelled === null ? [] : ["text"])],
    ),
  ];
}

function proposalLines(proposal: CatalogProposal | null): readonly string[] {
  if (proposal === null) return [];
  const { file, taken, gain, requests } = proposal;
  return [
    "",
    `written  ${file}, with ${taken.length === 1 ? "suggestion" : "suggestions"} ${taken.join(", ")}; together ${gainCells(gain).join(", ")}`,
    ...(requests.length === 0
      ? []
      : [`Requests that became examples; remove them from the dataset: ${requests.join(", ")}`]),
  ];
}
