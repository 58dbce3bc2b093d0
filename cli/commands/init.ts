import { counted } from "../../src/documents/number-text.js";
import type { LabelCounts } from "../../datasets/draft/draft-project.js";
import { type LeftOutReason, leftOutReasons, sourceKinds } from "../../datasets/sources/parsed-source.js";
import { groupBy } from "../../src/base/group-by.js";
import { SluiceError } from "../../src/base/error.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import {
  type InitializedProject,
  type InitOptions,
  initProject,
  type SourceSettings,
  type WrittenFile,
} from "../../stages/project/init-project.js";
import { givenOnly } from "../../stages/given-only.js";
import type { Reference } from "../../store/records/reference.js";
import { projectName } from "../../stages/project/project-name.js";
import { projectPromise } from "../../stages/project/project-promise.js";
import { type Field, fields, table } from "../table.js";
import type { InitPageView } from "../../reports/init/init-page.js";
import { initOnPage } from "./init-on-page.js";
import type { WorkOf } from "../command.js";
import type { initSpec } from "../specs/project.js";
import { exampleSource } from "../../stages/project/example-source.js";
import { readSourceFiles } from "../../stages/project/read-source-files.js";
import { unstatedEffect } from "../../datasets/draft/draft-workflow.js";
import { type ColumnQuestion, UnsettledColumns } from "../../datasets/sources/tables/texts-of-grid.js";
import { printable } from "../../src/trust/printable.js";
import type { CommandContext } from "../context.js";
import { readStandardInput } from "../read-standard-input.js";

/** Result of `init`. */
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
  /** Rows of the source: each one is an example, a request or left out. */
  readonly rows: number;
  readonly left_out: Readonly<Partial<Record<LeftOutReason, number>>>;
  readonly decisions: readonly string[];
  /** What so much data can promise at best, before anything is scored. */
  readonly can_promise: readonly string[];
}

export const init: WorkOf<typeof initSpec> = async (context, args) => {
  const source = args.source ?? (await exampleSource());
  const owner = args.owner ?? context.actor;
  const files = await filesOf(source, context.signal);
  const settings = settingsOf(args, { files, owner, name: projectName(source), actor: context.actor });
  const made = args.open
    ? await initOnPage(context, {
        source,
        options: settings,
        port: args.port,
        say: (drafted) => saidOnPage(settings, drafted),
      })
    : await askingForColumns(args.yes ? null : context.ask, (columns) =>
        initProject({ ...settings, choices: { ...settings.choices, ...columns } }),
      );
  const { people } = made.project;
  const result = summarise(args.into, made, made.files, ownDecisions(settings, made));
  return {
    result,
    lines: initLines(result),
    warnings: [
      ...made.parsedSource.warnings,
      ...made.files
        .filter(({ state }) => state === "proposed")
        .map(({ file }) => `${file} was written; the existing file is unchanged. Merge the changes you want`),
    ],
    next: [context.nextLine("run", ...(people === undefined ? [] : ["--release"]), "-C", args.into)],
  };
};

interface InitFacts {
  readonly files: readonly SourceFile[];
  readonly owner: string;
  readonly name: string;
  readonly actor: string;
}

function settingsOf(args: Parameters<typeof init>[1], { files, owner, name, actor }: InitFacts): InitOptions {
  const folder = (flag: string, model: Reference | undefined): string | undefined =>
    model === undefined ? undefined : folderOf(flag, model);
  return {
    folder: args.into,
    files,
    name,
    owner,
    tier: args.tier,
    seed: args.seed,
    models: givenOnly({
      retriever: folder("--retriever", args.retriever),
      verifier: folder("--verifier", args.verifier),
    }),
    shipped: args.models,
    ...peopleOf(actor, args.producer, args.approver),
    choices: givenOnly({
      outOfScopeLabels: args.outOfScopeLabel.length === 0 ? undefined : args.outOfScopeLabel,
      severalLabels: args.severalLabels,
      lookAlikes: args.lookAlikes,
      clean: args.clean ? true : undefined,
      language: args.language,
      textColumn: args.textColumn,
      labelColumn: args.labelColumn,
      partColumn: args.partColumn,
      sheet: args.sheet,
    }),
  };
}

/** What Sluice chose, besides what the reader says. */
function ownDecisions({ tier, owner }: InitOptions, drafted: Drafted): readonly string[] {
  const { people } = drafted.project;
  return [
    ...(drafted.draft.requests.length === 0 ? [] : measuringDecisions(drafted)),
    `Every workflow is in tier ${tier} and owned by "${owner}".`,
    ...effectDecisions(drafted),
    ...(people === undefined
      ? []
      : [`${people.producer} signs releases; two of ${people.approvers.join(", ")} must approve.`]),
  ];
}

type Drafted = Omit<InitializedProject, "files">;

function saidOnPage(options: InitOptions, drafted: Drafted): Pick<InitPageView, "facts" | "lists"> {
  const result = summarise(options.folder, drafted, [], ownDecisions(options, drafted));
  return {
    facts: factFields(result),
    lists: [
      { id: "left-out", title: "Left out", items: leftOutWords(result) },
      { id: "claims", title: "Possible claims at 95 % confidence", items: result.can_promise },
      { id: "decisions", title: "Chosen for you", items: result.decisions },
    ],
  };
}

/** A model of a project is a folder, which can travel with it; an id names a record of one history. */
function folderOf(flag: string, model: Reference): string {
  if (model.kind === "file") return model.path;
  throw new SluiceError("USAGE", `${flag}: found the id ${model.id}, expected a model folder`, {
    hint: `Write a path, for example ${flag} ./${model.id}`,
  });
}

async function filesOf(source: string, signal: AbortSignal): Promise<readonly SourceFile[]> {
  if (source !== "-") return readSourceFiles(source);
  return [{ file: "standard-input", bytes: await readStandardInput(signal) }];
}

/** People of the releases, where approvers are named. @throws {SluiceError} USAGE */
function peopleOf(actor: string, producer: string | undefined, approvers: readonly string[]) {
  if (approvers.length === 0 && producer === undefined) return {};
  if (approvers.length >= 2) return { people: { producer: producer ?? actor, approvers: [...approvers] } };
  throw new SluiceError("USAGE", `--approver: found ${approvers.length}, expected two people or more`, {
    hint: "Name two approvers other than the producer, or omit the people for now.",
  });
}

function measuringDecisions({ draft, parsedSource }: Drafted): readonly string[] {
  const withParts = parsedSource.texts.some(({ part }) => part !== null);
  const ids = (fits: (label: LabelCounts) => boolean): string =>
    draft.labels
      .filter(fits)
      .map(({ workflowId }) => workflowId)
      .join(", ");
  const unmeasured = ids(({ heldOut }) => heldOut === 0);
  const without = ids(({ examples }) => examples === 0);
  return [
    withParts
      ? "Examples are at most ten training texts of a workflow, drawn by the seed. All other texts are test requests; test texts are never examples."
      : draft.everyText
        ? "Every text is both an example and a test request, scored with its family left out of the examples."
        : "Two in five texts of a workflow, at most ten, became its examples, drawn by the seed. The others are test requests.",
    "The claim is planned at 5 %. Looser targets are tested first, and the last one that passes is signed.",
    ...(unmeasured === ""
      ? []
      : [`Declined until a request measures them, because they have at most one text: ${unmeasured}.`]),
    ...(without === "" ? [] : [`Workflows without an example, because they have no training text: ${without}.`]),
  ];
}

/** The drafted effects, and which of them were not stated. */
function effectDecisions({ draft, parsedSource }: Drafted): readonly string[] {
  const stated = new Map(parsedSource.workflows.map(({ label, effect }) => [label, effect]));
  const idOf = new Map(draft.labels.map(({ label, workflowId }) => [label, workflowId]));
  const destroying = parsedSource.workflows.flatMap(({ label, effect }) =>
    effect === "destroys" ? [idOf.get(label) ?? label] : [],
  );
  return [
    ...(draft.labels.every(({ label }) => (stated.get(label) ?? null) !== null)
      ? []
      : [`Workflows without a stated effect are drafted as ${unstatedEffect}, with a confirmation.`]),
    ...(destroying.length === 0
      ? []
      : [
          `Drafted as destructive, as the source says: ${destroying.join(", ")}. Write what each is not for in its exclusions.`,
        ]),
  ];
}

/** Times that a person is asked: once for the texts, once for the labels. */
const mostQuestions = 2;

/** Reads a source. If only a person can tell the columns apart and the command runs at a terminal, asks and reads again. */
async function askingForColumns(
  ask: CommandContext["ask"],
  read: (columns: Pick<SourceSettings, "textColumn" | "labelColumn">) => Promise<InitializedProject>,
): Promise<InitializedProject> {
  let columns: Pick<SourceSettings, "textColumn" | "labelColumn"> = {};
  for (let asked = 0; ; asked += 1) {
    try {
      return await read(columns);
    } catch (error) {
      const cause = error instanceof SluiceError ? error.cause : undefined;
      if (ask === null || asked >= mostQuestions || !(cause instanceof UnsettledColumns)) throw error;
      const { open, columns: candidates } = cause.question;
      const answer = Number((await ask(questionText(cause.question))).trim());
      const chosen = candidates[answer - 1];
      if (chosen === undefined) throw error;
      columns = { ...columns, [open === "text" ? "textColumn" : "labelColumn"]: chosen.name };
    }
  }
}

/** Characters of an example row that are shown. */
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
  { parsedSource, draft }: Drafted,
  files: readonly WrittenFile[],
  own: readonly string[],
): InitResult {
  const reasons = groupBy(parsedSource.leftOut, ({ reason }) => reason);
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
    rows: parsedSource.texts.length + parsedSource.leftOut.length,
    left_out: Object.fromEntries([...reasons].map(([reason, rows]) => [reason, rows.length])),
    decisions: [...parsedSource.decisions, ...own],
    can_promise: projectPromise(draft),
  };
}

/** Workflows that are listed; --json has all. */
const shownWorkflows = 15;

function leftOutWords({ left_out: leftOut }: InitResult): readonly string[] {
  return Object.entries(leftOut).map(
    ([reason, count]) => `${counted(count, "row")}: ${leftOutReasons[reason as LeftOutReason]}`,
  );
}

function factFields(result: InitResult): readonly Field[] {
  const left = Object.values(result.left_out).reduce((total, count) => total + count, 0);
  return [
    ["read", `${sourceKinds[result.kind]}${result.rows === 0 ? "" : `, ${counted(result.rows, "row")}`}`],
    ["workflows", String(result.workflows.length)],
    ["examples", `${counted(result.examples, "text")}, in the catalog`],
    ["measure", `${counted(result.held_out, "text")}, and ${result.out_of_scope} out of scope`],
    ["left out", left === 0 ? "none" : `${left}, listed in left-out.csv`],
  ];
}

/** The result in words. */
export function initLines(result: InitResult): readonly string[] {
  const { workflows } = result;
  const hidden = workflows.length - shownWorkflows;
  const rows = workflows
    .slice(0, shownWorkflows)
    .map(({ workflow_id: id, label, examples, held_out: heldOut }) => [id, label, String(examples), String(heldOut)]);
  const leftOutLines = leftOutWords(result);
  return [
    ...fields(factFields(result)),
    "",
    ...table(rows, ["workflow", "label", "examples", "measure"]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...(leftOutLines.length === 0 ? [] : ["", "Left out:", ...leftOutLines.map((line) => `  ${line}`)]),
    "",
    "Possible claims at 95 % confidence; a run shows which of them hold:",
    ...result.can_promise.map((line) => `  ${line}`),
    "",
    "Chosen for you; edit the files to change it:",
    ...result.decisions.map((decision) => `  ${decision}`),
    "",
    ...result.files.map(({ file, state }) => `${state.padEnd(8)}  ${file}`),
  ];
}
