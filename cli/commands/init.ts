import { basename, extname } from "node:path";
import type { LabelCounts } from "../../datasets/draft/draft-project.js";
import { type LeftOutReason, leftOutReasons, sourceKinds } from "../../datasets/sources/material.js";
import { groupBy } from "../../src/stats/group-by.js";
import { riskTiers } from "../../src/domain/catalog.js";
import { defineCommand } from "../command.js";
import { flag, optional, preset, repeated } from "../options.js";
import { choice, path, seed, text } from "../parsers.js";
import { commandResult } from "../result.js";
import type { InitializedProject, WrittenFile } from "../../workbench/project/init-project.js";
import { projectPromise } from "../../workbench/project/project-promise.js";
import { fields, table } from "../table.js";

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
  readonly left_out: Readonly<Partial<Record<LeftOutReason, number>>>;
  readonly decisions: readonly string[];
  /** What so much data can promise at best, before anything is scored. */
  readonly can_promise: readonly string[];
}

export const init = defineCommand({
  name: ["init"],
  describe: "Make a project from a file of yours: a catalog to edit, and labelled requests that measure it",
  positionals: { source: optional(path, "file or folder with labelled requests or tool definitions") },
  options: {
    into: preset(path, ".", "folder of the project"),
    owner: optional(text, "team that answers for the workflows; by default you"),
    tier: preset(choice(...riskTiers), "medium", "risk tier of every workflow until you edit the catalog"),
    "text-column": optional(text, "tables: column of the request texts; found by name or content by default"),
    "label-column": optional(text, "tables: column of the labels; found by name or content by default"),
    "part-column": optional(text, "tables: column that says train, validation or test"),
    "out-of-scope-label": repeated(text, "label that means out of scope, besides the usual ones"),
    sheet: optional(text, "Excel: sheet to read; by default the one with the most rows"),
    language: preset(text, "en", "Dialogflow: language of the phrases"),
    seed: preset(seed, "1", "seed of the draw of examples"),
    yes: flag("accept every drafted value without being asked"),
  },
  examples: [
    ["sluice init tickets.csv --into my-router", "a spreadsheet, an export of Rasa, Dialogflow, LUIS, …"],
    ["sluice init tools.json --into my-router --owner platform", "the tools of OpenAI, Anthropic, MCP or OpenAPI"],
  ],
  run: async (context, args) => {
    const { initProject } = await import("../../workbench/project/init-project.js");
    const { readSourceFiles } = await import("../../workbench/project/read-source-files.js");
    const { exampleSource } = await import("../../workbench/project/example-source.js");
    const { defaultChoices } = await import("../../datasets/sources/choices.js");
    const source = args.source ?? (await exampleSource());
    const owner = args.owner ?? context.actor;
    const made = await initProject({
      folder: args.into,
      files: await readSourceFiles(source),
      name: nameOf(source),
      owner,
      tier: args.tier,
      seed: args.seed,
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
    const result = summarise(args.into, made, [
      `Every workflow is in tier ${args.tier} and owned by "${owner}".`,
      "Workflows whose effect the source does not state are drafted as writing, with a confirmation.",
    ]);
    return commandResult({
      schema: "init@1",
      result,
      lines: initLines(result),
      warnings: made.files
        .filter(({ state }) => state === "proposed")
        .map(({ file }) => `${file} was written; the file that was there is unchanged, merge what you want of it`),
      next: [context.nextLine("run", "-C", args.into)],
    });
  },
});

function nameOf(source: string): string {
  const name = basename(source, extname(source)).replace(/[^A-Za-z0-9_.-]+/g, "-");
  return name.replace(/^-+|-+$/g, "").slice(0, 60) || "project";
}

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
    ([reason, count]) => `${count} rows: ${leftOutReasons[reason as LeftOutReason]}`,
  );
  return [
    ...fields([
      ["read", sourceKinds[result.kind]],
      ["workflows", String(workflows.length)],
      ["examples", `${result.examples} texts, in the catalog`],
      ["held out", `${result.held_out} texts that measure, and ${result.out_of_scope} out of scope`],
    ]),
    "",
    ...table(rows, ["workflow", "label", "examples", "held out"]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...(leftOutLines.length === 0
      ? []
      : ["", "Left out, listed in left-out.csv:", ...leftOutLines.map((line) => `  ${line}`)]),
    "",
    "Promises, at 95 % confidence; the plan of a run says which of them hold:",
    ...result.can_promise.map((line) => `  ${line}`),
    "",
    "Decided for you; change it in the files:",
    ...result.decisions.map((decision) => `  ${decision}`),
    "",
    ...result.files.map(({ file, state }) => `${state.padEnd(8)}  ${file}`),
  ];
}
