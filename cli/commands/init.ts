import {
  type InitializedProject,
  initProject,
  leftOutFileName,
  openQuestion,
  readInitSource,
  type SourceSettings,
  catchAllLabels,
} from "../../stages/init.js";
import { addRequests, type AddedRequests } from "../../stages/init/add-requests.js";
import type { WrittenFile } from "../../stages/init/write-drafts.js";
import type { ResultParts } from "../result.js";
import { counted } from "../../src/documents/number-text.js";
import type { LabelCounts } from "../../datasets/draft/draft-project.js";
import { type LeftOutReason, leftOutReasons, projectFileName, sourceKinds } from "../../src/documents/choices.js";
import { groupBy } from "../../src/base/group-by.js";
import { randomInt } from "node:crypto";
import { basename, extname } from "node:path";
import { type Field, fields, table } from "../table.js";
import type { InitPageView } from "../../reports/init/init-page.js";
import { initOnPage } from "./init-on-page.js";
import type { WorkOf } from "../command.js";
import type { initSpec } from "../specs/project.js";
import type { SourceMaterial, SourceText } from "../../datasets/sources/parsed-source.js";
import type { ColumnQuestion } from "../../datasets/sources/tables/texts-of-grid.js";
import { printable } from "../../src/base/text.js";
import type { CommandContext } from "../context.js";
import { readStandardInput } from "../read-standard-input.js";

export interface InitResult {
  readonly folder: string;
  readonly kind: keyof typeof sourceKinds;
  readonly files: readonly WrittenFile[];
  readonly workflows: readonly {
    readonly label: string;
    readonly workflow_id: string;
    readonly examples: number;
    readonly held_out: number;
  }[];
  readonly examples: number;
  readonly held_out: number;
  readonly out_of_scope: number;
  /** Requests that follow another one. */
  readonly follow_ups: number;
  readonly conversations: number;
  /** Number of rows of the source. Each row is used as an example, as a request or both, or left out. */
  readonly rows: number;
  readonly left_out: Readonly<Partial<Record<LeftOutReason, number>>>;
  readonly decisions: readonly string[];
  /** Some rows as they will be learned, to check the columns; `label` null is out of scope. */
  readonly learned: readonly { readonly text: string; readonly label: string | null }[];
  /** The same of requests that follow another one, with the label of the one before. */
  readonly learned_follow_ups: readonly (InitResult["learned"][number] & { readonly previous: string | null })[];
  /** The strictest claims that this much data can support, before scoring. */
  readonly can_promise: readonly string[];
}

export const init: WorkOf<typeof initSpec> = async (context, args, own) => {
  const wanted = {
    ...args,
    // The division of a log must not be known to whoever chose its rows.
    seed: args.seed ?? (args.log === undefined ? 1 : randomInt(2 ** 31)),
    standardInput: () => readStandardInput(context.signal),
  };
  if (own.add) return addedParts(context, args.into, await addRequests(context, wanted));
  const { source, options } = await readInitSource(context, wanted);
  const bytes = options.files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes >= largeSource) context.note(`reading ${Math.round(bytes / 1e6)} MB, which may take a minute or two`);
  const made = own.open
    ? await initOnPage(context, {
        source,
        options,
        port: own.port,
        say: (drafted) => saidOnPage(args.into, drafted),
      })
    : await askingForColumns(own.yes ? null : context.ask, (columns) =>
        initProject({ ...options, choices: { ...options.choices, ...columns } }),
      );
  const { people } = made.project;
  const suspects = catchAllLabels(made.parsedSource.texts);
  const proposals = made.files.filter(({ state }) => state === "proposed").map(({ file }) => file);
  const result = summarise(args.into, made, made.files);
  return {
    result,
    lines: initLines(result),
    warnings: [...made.parsedSource.warnings, ...proposalWarnings(proposals)],
    next:
      proposals.length === 0
        ? [
            ...(suspects.length === 0
              ? []
              : [context.next("init", "FILE", ...suspects.flatMap((label) => ["--out-of-scope-label", label]))]),
            args.log !== undefined
              ? context.next("label", "-C", context.here(args.into))
              : context.next("run", ...(people === undefined ? [] : ["--release"]), "-C", context.here(args.into)),
          ]
        : proposals.map((file) => ({ command: "diff", args: [targetOf(file), file] })),
  };
};

/** Size from which reading a source takes long enough to say so, in bytes. */
const largeSource = 2_000_000;

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0);

function addedParts({ next }: Pick<CommandContext, "next">, folder: string, made: AddedRequests): ResultParts {
  const { parsedSource, file, added, addedFollowUps, outOfScope, known, relabelled, unknownLabels, newWorkflows } =
    made;
  const leftOut = leftOutCounts(parsedSource);
  const unknown = [...unknownLabels].map(([label, count]) => `"${label}" (${counted(count, "text")})`);
  return {
    schema: "init-add@1",
    result: {
      folder,
      file,
      added,
      added_follow_ups: addedFollowUps,
      out_of_scope: outOfScope,
      known,
      other_label: relabelled,
      unknown_labels: Object.fromEntries(unknownLabels),
      new_workflows: newWorkflows,
      left_out: parsedSource.leftOut.length,
      left_out_reasons: leftOut,
      decisions: parsedSource.decisions,
    },
    fields: [
      ["added", `${counted(added, "request")} to ${file}, ${outOfScope} out of scope`],
      ...(addedFollowUps === 0 ? [] : [["follow-ups", `${counted(addedFollowUps, "text")} added`] as const]),
      ["known", `${counted(known, "text")}, already in the project with the same label`],
      ...notAdded(made),
    ],
    lines: [
      ...leftOutBlock(leftOut),
      "",
      "Chosen for you:",
      ...parsedSource.decisions.map((decision) => `  ${decision}`),
    ],
    warnings: [
      ...parsedSource.warnings,
      ...(made.unusedFollowUps === 0
        ? []
        : [
            `${counted(made.unusedFollowUps, "text follows", "texts follow")} another one and ${made.unusedFollowUps === 1 ? "was" : "were"} not added, because ${projectFileName} names no file of follow_ups`,
          ]),
      ...(relabelled === 0
        ? []
        : [
            `${counted(relabelled, "text has", "texts have")} another label in the project and ${relabelled === 1 ? "was" : "were"} not added`,
          ]),
      ...(unknown.length === 0
        ? []
        : [
            `no workflow of the catalog has these labels, so their texts were not added: ${unknown.join(", ")}. ${newWorkflows ?? "new-workflows.yaml"} has a draft of each workflow: copy what you want from it into catalog.yaml, or map the label to another id in workflow-ids.csv, and run the same command again`,
          ]),
    ],
    next: added + addedFollowUps === 0 ? [] : [next("run", "-C", folder)],
  };
}

/** How many rows and texts were not added; nothing if all were. */
function notAdded({ parsedSource, leftOutFile, relabelled, unknownLabels }: AddedRequests): readonly Field[] {
  const { length: rows } = parsedSource.leftOut;
  const unknown = sumOf(unknownLabels.values());
  const parts = [
    ...(rows === 0 ? [] : [`${counted(rows, "row")}, listed in ${leftOutFile ?? leftOutFileName}`]),
    ...(unknown === 0
      ? []
      : [`${counted(unknown, "more text has a label", "more texts have labels")} that the catalog lacks`]),
    ...(relabelled === 0
      ? []
      : [`${counted(relabelled, "more text has", "more texts have")} another label in the project`]),
  ];
  return parts.length === 0 ? [] : [["left out", parts.join("; ")]];
}

/** The file that a proposal would replace. */
const targetOf = (proposal: string): string => proposal.slice(0, -extname(proposal).length);

function proposalWarnings(proposals: readonly string[]): readonly string[] {
  if (proposals.length === 0) return [];
  const names = proposals.map((file) => basename(targetOf(file))).join(", ");
  return [
    `edited files were not replaced: ${names}. They stay in use until you merge the new drafts (.proposed). Moving a draft into place drops what was edited, such as added requests`,
  ];
}

type Drafted = Omit<InitializedProject, "files">;

function saidOnPage(folder: string, drafted: Drafted): Pick<InitPageView, "facts" | "lists"> {
  const result = summarise(folder, drafted, []);
  return {
    facts: factFields(result),
    lists: [
      { id: "left-out", title: "Left out", items: leftOutWords(result.left_out) },
      { id: "claims", title: "Possible claims at 95% confidence", items: result.can_promise },
      { id: "decisions", title: "Chosen for you", items: result.decisions },
    ],
  };
}

/** Maximum number of questions: one for the text column, one for the label column. */
const mostQuestions = 2;

/** Reads a source. If a person has to choose the columns and the command runs at a terminal, asks and reads again. */
async function askingForColumns(
  ask: CommandContext["ask"],
  read: (columns: Pick<SourceSettings, "textColumn" | "labelColumn">) => Promise<InitializedProject>,
): Promise<InitializedProject> {
  let columns: Pick<SourceSettings, "textColumn" | "labelColumn"> = {};
  for (let asked = 0; ; asked += 1) {
    try {
      return await read(columns);
    } catch (error) {
      const question = openQuestion(error);
      if (ask === null || asked >= mostQuestions || question === null) throw error;
      const { open, columns: candidates } = question;
      const answer = Number((await ask(questionText(question))).trim());
      const chosen = candidates[answer - 1];
      if (chosen === undefined) throw error;
      columns = { ...columns, [open === "text" ? "textColumn" : "labelColumn"]: chosen.name };
    }
  }
}

/** Maximum displayed length of an example row, in characters. */
const shownCharacters = 60;

function questionText({ open, columns }: ColumnQuestion): string {
  const choices = columns.flatMap(({ name, examples }, index) => [
    `  ${index + 1}  ${name}`,
    ...examples.map((example) => `       ${printable(example.replaceAll(/\s+/g, " ").slice(0, shownCharacters))}`),
  ]);
  const what = open === "text" ? "what the user said" : "the label that a person chose";
  return [`Which column holds ${what}?`, ...choices, `Number (1 to ${columns.length}): `].join("\n");
}

function summarise(
  folder: string,
  { parsedSource, draft, promise }: Drafted,
  files: readonly WrittenFile[],
): InitResult {
  const sum = (count: (label: LabelCounts) => number): number =>
    draft.labels.reduce((total, label) => total + count(label), 0);
  return {
    folder,
    kind: parsedSource.kind,
    files,
    workflows: draft.labels.map(({ label, workflowId, examples, heldOut }) => ({
      label,
      workflow_id: workflowId,
      examples,
      held_out: heldOut,
    })),
    examples: sum(({ examples }) => examples),
    held_out: sum(({ heldOut }) => heldOut),
    out_of_scope: draft.outOfScope,
    follow_ups: draft.followUps.length,
    conversations: new Set(draft.followUps.map(({ group_id: id }) => id)).size,
    rows: parsedSource.texts.length + draft.followUps.length + parsedSource.leftOut.length,
    left_out: leftOutCounts(parsedSource),
    decisions: parsedSource.decisions,
    learned: learnedRows(parsedSource.texts).map(shownRow),
    learned_follow_ups: learnedRows(parsedSource.followUps).map((row) => ({
      ...shownRow(row),
      previous: row.previous,
    })),
    can_promise: promise,
  };
}

const shownRows = 3;

/** The first row of some labels; out of scope comes last. */
function learnedRows<T extends Pick<SourceText, "label">>(rows: readonly T[]): readonly T[] {
  const first = new Map(rows.toReversed().map((row) => [row.label, row]));
  const byLabel = [...first.values()].toReversed();
  return byLabel.toSorted((a, b) => Number(a.label === null) - Number(b.label === null)).slice(0, shownRows);
}

const shownRow = ({ text, label }: SourceText): InitResult["learned"][number] => ({
  text: text.replaceAll(/\s+/g, " ").slice(0, shownCharacters),
  label,
});

/** Maximum number of listed workflows; --json lists all. */
const shownWorkflows = 30;

const leftOutCounts = ({ leftOut }: Pick<SourceMaterial, "leftOut">): InitResult["left_out"] =>
  Object.fromEntries([...groupBy(leftOut, ({ reason }) => reason)].map(([reason, rows]) => [reason, rows.length]));

function leftOutBlock(leftOut: InitResult["left_out"]): readonly string[] {
  const words = leftOutWords(leftOut);
  return words.length === 0 ? [] : ["", "Left out:", ...words.map((line) => `  ${line}`)];
}

function learnedBlock({ learned, learned_follow_ups: followUps }: InitResult): readonly string[] {
  const named = (label: string | null): string => label ?? "out of scope";
  const rowOf = ({ text, label }: InitResult["learned"][number]): string => `"${printable(text)}" -> ${named(label)}`;
  const rows = [
    ...learned.map((row) => `  ${rowOf(row)}`),
    ...followUps.map((row) => `  after ${row.previous ?? "no workflow"}: ${rowOf(row)}`),
  ];
  return rows.length === 0 ? [] : ["", "Rows as they will be learned; if a column is wrong, name it:", ...rows];
}

function leftOutWords(leftOut: InitResult["left_out"]): readonly string[] {
  return Object.entries(leftOut).map(
    ([reason, count]) => `${counted(count, "row")}: ${leftOutReasons[reason as LeftOutReason]}`,
  );
}

function factFields(result: InitResult): readonly Field[] {
  const left = sumOf(Object.values(result.left_out));
  return [
    ["read", `${sourceKinds[result.kind]}${result.rows === 0 ? "" : `, ${counted(result.rows, "row")}`}`],
    ["workflows", String(result.workflows.length)],
    ["examples", `${counted(result.examples, "text")}, in the catalog`],
    ["measure", `${counted(result.held_out, "text")}, and ${result.out_of_scope} out of scope`],
    ...(result.follow_ups === 0
      ? []
      : [
          [
            "follow-ups",
            `${counted(result.follow_ups, "text")} of ${counted(result.conversations, "conversation")}`,
          ] as const,
        ]),
    ["left out", left === 0 ? "none" : `${left}, listed in ${leftOutFileName}`],
  ];
}

export function initLines(result: InitResult): readonly string[] {
  const { workflows } = result;
  const hidden = workflows.length - shownWorkflows;
  const rows = workflows
    .slice(0, shownWorkflows)
    .map(({ workflow_id: id, label, examples, held_out: heldOut }) => [id, label, String(examples), String(heldOut)]);
  return [
    ...fields(factFields(result)),
    "",
    ...table(rows, ["workflow", "label", "examples", "measure"]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...leftOutBlock(result.left_out),
    ...learnedBlock(result),
    "",
    "Possible claims at 95% confidence; a run shows which of them hold:",
    ...result.can_promise.map((line) => `  ${line}`),
    "",
    "Chosen for you; you can edit the files:",
    ...result.decisions.map((decision) => `  ${decision}`),
    "",
    ...result.files.map(({ file, state }) => `${state.padEnd(8)}  ${file}`),
  ];
}
