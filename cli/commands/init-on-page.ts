import { startFormServer } from "../../serve/pages/page-server.js";
import { requireFreePort } from "../../serve/listen.js";
import type { TablePreview } from "../../datasets/sources/parsed-source.js";
import {
  asTextColumns,
  type DraftedFiles,
  type InitializedProject,
  type InitOptions,
  initProject,
  openQuestion,
  previewProject,
  type SourceSettings,
  textColumnNames,
} from "../../stages/init.js";
import { type InitChoice, type InitLabel, type InitPageView, renderInitPage } from "../../reports/init/init-page.js";
import { SluiceError, textOf } from "../../src/base/error.js";
import type { CommandContext } from "../context.js";
import { shellLine, lineOf } from "../../src/base/invocation.js";
import { untilInterrupted } from "../until-interrupted.js";

export interface InitOnPage {
  readonly source: string;
  readonly options: InitOptions;
  readonly port: number;
  readonly say: (drafted: DraftedFiles) => Pick<InitPageView, "facts" | "lists">;
}

const host = "127.0.0.1";

/**
 * Serves a local page that shows the draft and lets the user change choices, until the project is written there.
 * @throws {SluiceError} INTERRUPTED  the caller interrupted it; PORT_IN_USE; and the errors of `initProject`
 */
export async function initOnPage(
  context: Pick<CommandContext, "note" | "signal" | "next">,
  { source, options, port, say }: InitOnPage,
): Promise<InitializedProject> {
  await requireFreePort(port, host);
  const finished = new AbortController();
  let made: InitializedProject | undefined;
  const page = async (token: string, choices: SourceSettings): Promise<string> =>
    renderInitPage(await viewOf({ source, token, options: { ...options, choices }, say }));
  const server = await startFormServer(
    { host, port },
    {
      show: (token) => page(token, options.choices),
      send: async (form, token) => {
        const choices = choicesOf(form, options.choices);
        if (form.get("do") !== "write") return page(token, choices);
        made ??= await initProject({ ...options, choices });
        finished.abort();
        const view = await viewOf({ source, token, options: { ...options, choices }, say });
        const next = lineOf(context.next("run", "-C", options.folder));
        return renderInitPage({ ...view, written: { files: made.files.map(({ file }) => file), next } });
      },
    },
  );
  context.note(`open     ${server.address}/`);
  context.note("stop     press Ctrl-C, or write the project on the page");
  await untilInterrupted(AbortSignal.any([context.signal, finished.signal]));
  await server.close();
  if (made === undefined) throw new SluiceError("INTERRUPTED", "ended before the project was written");
  return made;
}

/** Joins the names of several columns in one value of the form. */
const columnMark = "\u001f";

/** The choices of a form. Settings that are not on the page keep the caller's values. */
function choicesOf(form: URLSearchParams, given: SourceSettings): SourceSettings {
  const { textColumn: _text, labelColumn: _label, partColumn: _part, sheet: _sheet, clean: _clean, ...kept } = given;
  const chosen = (name: string): string | undefined => form.get(name) || undefined;
  const [texts, labelColumn, partColumn] = ["text_column", "label_column", "part_column"].map(chosen);
  return {
    ...kept,
    ...(texts === undefined ? {} : { textColumn: asTextColumns(texts.split(columnMark)) }),
    ...(labelColumn === undefined ? {} : { labelColumn }),
    ...(partColumn === undefined ? {} : { partColumn }),
    ...(given.sheet === undefined ? {} : { sheet: given.sheet }),
    severalLabels: form.get("several_labels") === "first" ? "first" : "leave-out",
    lookAlikes: form.get("look_alikes") === "keep" ? "keep" : "merge",
    ...(form.get("clean") === "yes" ? { clean: true } : {}),
    outOfScopeLabels: form.getAll("outside"),
  };
}

interface ViewInput extends Pick<InitOnPage, "source" | "options" | "say"> {
  readonly token: string;
}

async function viewOf({ source, token, options, say }: ViewInput): Promise<InitPageView> {
  const { choices, folder } = options;
  const common = { source, folder, token, command: commandOf(source, options), written: null };
  try {
    const drafted = await previewProject(options);
    const { preview, columns, warnings, texts } = drafted.parsedSource;
    const at = (name: string | undefined): number => preview?.header.indexOf(name ?? "") ?? -1;
    const textsAt = textColumnNames(columns?.textColumn).map(at);
    const table =
      preview === null
        ? {
            header: ["text", "label"],
            rows: texts.slice(0, shownTexts).map(({ text, label }) => [text, label ?? ""]),
            texts: [0],
            label: 1,
          }
        : { ...preview, texts: textsAt, label: at(columns?.labelColumn) };
    return {
      ...common,
      ...say(drafted),
      problem: null,
      table: table.rows.length === 0 ? null : table,
      choices: choicesShown(choices, preview, columns),
      labels: labelsOf(drafted, choices),
      warnings: warnings.map((warning) => textOf(warning)),
    };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const preview = openQuestion(error)?.preview ?? null;
    return {
      ...common,
      facts: [],
      problem: { message: error.message, hint: preview === null ? (error.hint ?? "") : "Choose the column below." },
      table: preview === null ? null : { ...preview, texts: [], label: -1 },
      choices: choicesShown(choices, preview, null),
      labels: [],
      warnings: [],
      lists: [],
    };
  }
}

const shownTexts = 8;

/** Labels that became workflows, and labels that the user marked as out of scope. */
function labelsOf({ draft }: DraftedFiles, { outOfScopeLabels = [] }: SourceSettings): readonly InitLabel[] {
  return [
    ...draft.labels.map(({ label, workflowId, examples, heldOut }) => ({
      label,
      workflowId,
      examples,
      measure: heldOut,
    })),
    ...outOfScopeLabels.map((label) => ({ label, workflowId: null, examples: 0, measure: 0 })),
  ];
}

function choicesShown(
  choices: SourceSettings,
  preview: TablePreview | null,
  columns: DraftedFiles["parsedSource"]["columns"],
): readonly InitChoice[] {
  return [...(preview === null ? [] : columnChoices(choices, preview, columns)), ...ruleChoices(choices)];
}

function columnChoices(
  choices: SourceSettings,
  { header }: TablePreview,
  columns: DraftedFiles["parsedSource"]["columns"],
): readonly InitChoice[] {
  const named = header.filter((name) => name !== "").map((name) => ({ value: name, text: name }));
  const column = (name: string, label: string, value: string | null | undefined): InitChoice => ({
    name,
    label,
    value: value ?? "",
    options: [{ value: "", text: name === "part_column" ? "none" : "choose" }, ...named],
  });
  const textColumn = (names: readonly string[]): InitChoice => {
    const one = column("text_column", "What the user said", names.join(columnMark));
    const several = { value: names.join(columnMark), text: names.join(" + ") };
    return names.length < 2 ? one : { ...one, options: [...one.options, several] };
  };
  return [
    textColumn(textColumnNames(choices.textColumn ?? columns?.textColumn)),
    column("label_column", "The label", choices.labelColumn ?? columns?.labelColumn),
    column("part_column", "Train, validation or test", choices.partColumn ?? columns?.partColumn),
  ];
}

function ruleChoices(choices: SourceSettings): readonly InitChoice[] {
  return [
    {
      name: "several_labels",
      label: "Rows with several labels",
      value: choices.severalLabels ?? "leave-out",
      options: [
        { value: "leave-out", text: "are left out" },
        { value: "first", text: "get the first label" },
      ],
    },
    {
      name: "look_alikes",
      label: "Labels that differ in case and separators",
      value: choices.lookAlikes ?? "merge",
      options: [
        { value: "merge", text: "are one workflow" },
        { value: "keep", text: "are different workflows" },
      ],
    },
    {
      name: "clean",
      label: "Quoted emails, signatures and HTML",
      value: choices.clean === true ? "yes" : "no",
      options: [
        { value: "no", text: "remain in the texts" },
        { value: "yes", text: "are removed" },
      ],
    },
  ];
}

function commandOf(source: string, { folder, choices, owner }: InitOptions): string {
  const named = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, value];
  return shellLine([
    "sluice",
    "init",
    source,
    "--into",
    folder,
    ...named("--owner", owner),
    ...textColumnNames(choices.textColumn).flatMap((name) => ["--text-column", name]),
    ...named("--label-column", choices.labelColumn),
    ...named("--part-column", choices.partColumn),
    ...named("--conversation-column", choices.conversationColumn === null ? "none" : choices.conversationColumn),
    ...named("--turn-column", choices.turnColumn),
    ...named("--sheet", choices.sheet),
    ...named("--language", choices.language),
    ...named("--encoding", choices.encoding),
    ...(choices.severalLabels === "first" ? ["--several-labels", "first"] : []),
    ...(choices.lookAlikes === "keep" ? ["--look-alikes", "keep"] : []),
    ...(choices.clean === true ? ["--clean"] : []),
    ...(choices.outOfScopeLabels ?? []).flatMap((label) => ["--out-of-scope-label", label]),
  ]);
}
