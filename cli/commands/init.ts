import { unstatedEffect } from "../../datasets/draft/draft-workflow.js";
import type { LabelCounts } from "../../datasets/draft/draft-project.js";
import { type LeftOutReason, leftOutReasons, sourceKinds } from "../../datasets/sources/material.js";
import { groupBy } from "../../src/stats/group-by.js";
import { SluiceError } from "../../src/errors/error.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { type InitializedProject, initProject, type WrittenFile } from "../../workbench/project/init-project.js";
import type { Reference } from "../../workbench/records/reference.js";
import { projectName } from "../../workbench/project/project-name.js";
import { projectPromise } from "../../workbench/project/project-promise.js";
import { fields, table } from "../table.js";
import type { WorkOf } from "../command.js";
import type { initShape } from "../shapes/project.js";
import { exampleSource } from "../../workbench/project/example-source.js";
import { defaultChoices } from "../../datasets/sources/choices.js";
import { readSourceFiles } from "../../workbench/project/read-source-files.js";
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

export const init: WorkOf<typeof initShape> = async (context, args) => {
  const source = args.source ?? (await exampleSource());
  const owner = args.owner ?? context.actor;
  const made = await initProject({
    folder: args.into,
    files: await filesOf(source, context.signal),
    name: projectName(source),
    owner,
    tier: args.tier,
    seed: args.seed,
    models: {
      ...(args.retriever === undefined ? {} : { retriever: folderOf("--retriever", args.retriever) }),
      ...(args.verifier === undefined ? {} : { verifier: folderOf("--verifier", args.verifier) }),
    },
    ...peopleOf(context.actor, args.producer, args.approver),
    choices: {
      ...defaultChoices,
      outOfScopeLabels: [...defaultChoices.outOfScopeLabels, ...args.outOfScopeLabel],
      language: args.language,
      ...(args.textColumn === undefined ? {} : { textColumn: args.textColumn }),
      ...(args.labelColumn === undefined ? {} : { labelColumn: args.labelColumn }),
      ...(args.partColumn === undefined ? {} : { partColumn: args.partColumn }),
      ...(args.sheet === undefined ? {} : { sheet: args.sheet }),
    },
  });
  const { people } = made.project;
  const unmeasured = made.draft.labels.filter(({ heldOut }) => heldOut === 0).map(({ workflowId }) => workflowId);
  const result = summarise(args.into, made, [
    ...(made.draft.requests.length === 0 ? [] : [...measuringDecisions(unmeasured)]),
    `Every workflow is in tier ${args.tier} and owned by "${owner}".`,
    `Workflows without a stated effect are drafted as ${unstatedEffect.sideEffect}, with confirmation ${unstatedEffect.confirmation}.`,
    ...scopeDecisions(made.draft.labels, args.outOfScopeLabel),
    ...(people === undefined
      ? []
      : [`${people.producer} signs releases; two of ${people.approvers.join(", ")} must approve.`]),
  ]);
  return {
    result,
    lines: initLines(result),
    warnings: made.files
      .filter(({ state }) => state === "proposed")
      .map(({ file }) => `${file} was written; the existing file is unchanged. Merge the changes you want`),
    next: [context.nextLine("run", ...(people === undefined ? [] : ["--release"]), "-C", args.into)],
  };
};

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

/** Labels that often mean out of scope, and as often a workflow, so that a person decides. */
const unclearLabels: ReadonlySet<string> = new Set(["other", "others", "misc", "unknown", "fallback", "default"]);

/** Which labels were read as out of scope, and which may have been meant so. */
export function scopeDecisions(
  labels: readonly { readonly label: string }[],
  own: readonly string[],
): readonly string[] {
  const recognised = [...defaultChoices.outOfScopeLabels, ...own].join(", ");
  const unclear = labels.map(({ label }) => label).filter((label) => unclearLabels.has(label.trim().toLowerCase()));
  return [
    `Labels that mean out of scope: ${recognised}.`,
    ...unclear.map(
      (label) =>
        `"${label}" became a workflow. If it means out of scope, run init again with --out-of-scope-label ${label}`,
    ),
  ];
}

const measuringDecisions = (unmeasured: readonly string[]): readonly string[] => [
  "Two in five texts of a workflow, at most ten, became its examples, drawn by the seed. The others measure it.",
  "The plan sets the target of the claim, before anything is certified.",
  ...(unmeasured.length === 0
    ? []
    : [`Declined until a request measures them, because they have at most one text: ${unmeasured.join(", ")}.`]),
];

function summarise(folder: string, { material, draft, files }: InitializedProject, own: readonly string[]): InitResult {
  const reasons = groupBy(material.leftOut, ({ reason }) => reason);
  const sum = (count: (label: LabelCounts) => number): number =>
    draft.labels.reduce((total, label) => total + count(label), 0);
  return {
    folder,
    kind: material.kind,
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
    rows: material.texts.length + material.leftOut.length,
    left_out: Object.fromEntries([...reasons].map(([reason, rows]) => [reason, rows.length])),
    decisions: [...material.decisions, ...own],
    can_promise: projectPromise(draft),
  };
}

/** Workflows that are listed; --json has all. */
const shownWorkflows = 15;

/** The result in words. */
export function initLines(result: InitResult): readonly string[] {
  const { workflows, left_out: leftOut } = result;
  const hidden = workflows.length - shownWorkflows;
  const rows = workflows
    .slice(0, shownWorkflows)
    .map(({ workflow_id: id, label, examples, held_out: heldOut }) => [id, label, String(examples), String(heldOut)]);
  const leftOutLines = Object.entries(leftOut).map(
    ([reason, count]) => `${count} ${count === 1 ? "row" : "rows"}: ${leftOutReasons[reason as LeftOutReason]}`,
  );
  const left = Object.values(leftOut).reduce((total, count) => total + count, 0);
  return [
    ...fields([
      ["read", `${sourceKinds[result.kind]}${result.rows === 0 ? "" : `, ${result.rows} rows`}`],
      ["workflows", String(workflows.length)],
      ["examples", `${result.examples} texts, in the catalog`],
      ["measure", `${result.held_out} texts, and ${result.out_of_scope} out of scope`],
      ["left out", left === 0 ? "none" : `${left}, listed in left-out.csv`],
    ]),
    "",
    ...table(rows, ["workflow", "label", "examples", "measure"]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...(leftOutLines.length === 0 ? [] : ["", "Left out:", ...leftOutLines.map((line) => `  ${line}`)]),
    "",
    "Possible claims at 95 % confidence; a run plans which of them hold:",
    ...result.can_promise.map((line) => `  ${line}`),
    "",
    "Chosen for you; edit the files to change it:",
    ...result.decisions.map((decision) => `  ${decision}`),
    "",
    ...result.files.map(({ file, state }) => `${state.padEnd(8)}  ${file}`),
  ];
}
