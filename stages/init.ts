import type { Reference } from "../store/records/read-records.js";
import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { createProjectOptions } from "./options/project.js";
import { type ColumnQuestion, UnsettledColumns } from "../datasets/sources/tables/texts-of-grid.js";
import { type CatalogSource, draftOf, materialOf, readCatalogSource, startNewTest } from "./init/catalog-source.js";
import { ownDecisions, projectPromise } from "./init/draft-decisions.js";
import { isUneditedDraft, writeDrafts, type WrittenFile } from "./init/write-drafts.js";
import { counted } from "../src/documents/number-text.js";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { readJsonl } from "../datasets/read-jsonl.js";
import { leftOutReasons, projectFileName, type RiskTier, type ShippedModels } from "../src/documents/choices.js";
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { datasetBytes } from "../datasets/dataset-bytes.js";
import { textKey } from "../datasets/near-duplicates.js";
import type { CatalogFile } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import {
  catalogYaml,
  schemaLine,
  type DraftedProject,
  type DraftOptions,
  draftProject,
} from "../datasets/draft/draft-project.js";
import { idFileBytes, idFileName } from "../datasets/draft/id-file.js";
import { workflowIdFor } from "../datasets/draft/workflow-ids.js";
import {
  asTextColumns,
  defaultChoices,
  type MaterialChoices,
  type TextColumns,
  textColumnNames,
} from "../datasets/sources/choices.js";
import type { SourceFile } from "../datasets/importers/imported-dataset.js";
import { namedFew } from "../datasets/sources/labels.js";
import type { LeftOutRow, SourceMaterial } from "../datasets/sources/parsed-source.js";
import type { UnlabelledMaterial } from "../datasets/sources/unlabelled.js";
import { parseSource } from "../datasets/sources/parse-source.js";
import { csvLine } from "../datasets/csv-line.js";
import { writeNewFile } from "../src/base/files.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { givenOnly } from "./choices.js";
import { openIdFile } from "./split.js";
import { handWrittenFiles, jsonSchemaText } from "./schemas.js";
import { type ProjectPeople, requirePeople } from "../store/project/people.js";
import {
  type AlsoColumns,
  type ProjectFile,
  projectYaml,
  readProject,
  type SourceRules,
} from "../store/project/project-file.js";
import { logRows, readLogSource } from "./label/labelling.js";
import { makeFolders } from "../store/make-folders.js";
import { projectNames } from "../store/shipped-models.js";
import { readSourceFiles } from "./import/read-source.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { loadCatalog } from "../src/router/catalog/load.js";
import { packageFolder } from "../src/base/package-facts.js";

export { asTextColumns, textColumnNames };
export { catchAllLabels } from "../datasets/sources/labels.js";

export interface InitOptions extends DraftOptions {
  /** Folder of the project; created if it does not exist. */
  readonly folder: string;
  readonly files: readonly SourceFile[];
  /** The caller's settings; the rest is taken from the project file, if there is one, or recognised from the bytes. */
  readonly choices: SourceSettings;
  readonly people?: ProjectPeople;
  /** Model folders. Default: the shipped models. */
  readonly models?: Partial<ProjectFile["models"]>;
  /** Shipped models to use. Default: "default". */
  readonly shipped?: ShippedModels;
  /** Unlabelled requests of the service. Default: none. */
  readonly log?: UnlabelledMaterial;
  /** The source, if it is a catalog file whose log is tested. */
  readonly catalogSource?: CatalogSource;
}

export interface InitializedProject {
  readonly parsedSource: SourceMaterial;
  readonly draft: DraftedProject;
  readonly project: ProjectFile;
  /** Sentences about the best claims that this much data can support, before scoring. */
  readonly promise: readonly string[];
  readonly files: readonly WrittenFile[];
}

/** A drafted project before it is written. */
export type DraftedFiles = Omit<InitializedProject, "files"> & {
  /** Ids of the labels of this and earlier sources, and the number of ids that differ from their label. */
  readonly ids: ReadonlyMap<string, WorkflowId>;
  readonly mapped: number;
};

/** Workflow ids by label, from the id file of a project; empty without one. @throws {SluiceError} as `openIdFile` */
export async function knownIdsIn(folder: string): Promise<ReadonlyMap<string, WorkflowId>> {
  const file = join(folder, idFileName);
  return existsSync(file) ? (await openIdFile(file)).ids : new Map<string, WorkflowId>();
}

/** Reads and drafts the source. @throws {SluiceError} as `parseSource`; USAGE  labelled requests come with a log */
async function draftFrom(
  options: InitOptions,
  choices: MaterialChoices & { readonly knownIds: ReadonlyMap<string, WorkflowId> },
) {
  const { catalogSource } = options;
  const parsedSource =
    catalogSource === undefined ? await parseSource(options.files, choices) : materialOf(catalogSource);
  // A custom model may have been fitted on these texts, and scoring could not leave them out.
  const everyText = options.models?.retriever === undefined && options.models?.verifier === undefined;
  const knownIds = new Map([...choices.knownIds, ...parsedSource.ids]);
  const draft =
    catalogSource === undefined
      ? draftProject(parsedSource, { ...options, everyText, knownIds })
      : draftOf(catalogSource);
  if (draft.labels.length === 0) {
    throw new SluiceError("DOCUMENT_INVALID", "the source contains no workflow", {
      hint: "Label the requests, or use tool definitions.",
    });
  }
  if (options.log !== undefined && draft.requests.length > 0) {
    throw new SluiceError(
      "USAGE",
      "the source has labelled requests, expected a catalog or workflows alone with --log",
      {
        hint: say`Make a project of the labelled requests without --log. Then test its catalog: ${command`sluice init DIR/catalog.yaml --log FILE --into OTHER`}`,
      },
    );
  }
  return { parsedSource, draft, knownIds };
}

/** Drafts a project from a source without writing it. @throws {SluiceError} as `parseSource` */
export async function previewProject(options: InitOptions): Promise<DraftedFiles> {
  const known = await knownIdsIn(options.folder);
  const choices = { ...(await settledChoices(options)), knownIds: known };
  const { parsedSource, draft, knownIds } = await draftFrom(options, choices);
  const project = projectOf(options, {
    source: sourceRules(parsedSource, choices),
    follows: draft.followUps.length > 0,
  });
  if (project.people !== undefined) requirePeople(project.people, projectFileName);
  const ids = new Map([...known, ...draft.labels.map(({ label, workflowId }) => [label, workflowId] as const)]);
  const mapped = [...ids].filter(([label, id]) => label !== id).length;
  const decisions = idDecisions(draft, known);
  const own = options.catalogSource === undefined ? ownDecisions(options, { parsedSource, draft, project }) : [];
  return {
    parsedSource: {
      ...parsedSource,
      leftOut: [
        ...parsedSource.leftOut,
        ...(options.log?.leftOut ?? []),
        ...draft.taught.map(({ file, at }) => ({ file, at, reason: "example" as const })),
      ],
      decisions: [...parsedSource.decisions, ...logDecisions(options, draft), ...decisions, ...own],
      warnings: [...parsedSource.warnings, ...numberedWarnings(draft, knownIds)],
    },
    draft,
    project,
    promise: options.log === undefined ? projectPromise(draft) : [labelledPromise],
    ids,
    mapped,
  };
}

function logDecisions({ log }: InitOptions, { catalog }: DraftedProject): readonly string[] {
  if (log === undefined) return [];
  const examples = catalog.workflows.reduce((sum, own) => sum + (own.examples?.length ?? 0), 0);
  const left = log.texts.length - testedRows(log, catalog).length;
  return [
    `The log has ${counted(log.texts.length, "request")}.`,
    ...(examples === 0
      ? []
      : [
          `The log alone is tested; ${counted(examples, "labelled text is an example", "labelled texts are examples")}.`,
        ]),
    ...(left === 0 ? [] : [`Left out of the log: ${counted(left, "request")} with the text of an example.`]),
    ...log.decisions,
  ];
}

/** The rows of a log whose texts are no examples. */
function testedRows(log: UnlabelledMaterial, { workflows }: CatalogFile): readonly LabelledRequest[] {
  const known = new Set(workflows.flatMap(({ examples = [] }) => examples.map(textKey)));
  return logRows({ ...log, texts: log.texts.filter(({ text }) => !known.has(textKey(text))) });
}

/** What a log can support. */
const labelledPromise =
  "At most 10% wrong, with half of the requests routed: about 120 clicks for 12 workflows, 370 for 30.";

/** Warns of new ids with a number, which a label gets if another label has its id. */
function numberedWarnings({ labels }: DraftedProject, known: ReadonlyMap<string, WorkflowId>): readonly string[] {
  const numbered = labels
    .filter(({ label, workflowId }) => !known.has(label) && workflowId !== workflowIdFor(label))
    .map(({ label, workflowId }) => `"${label}" (${workflowId})`);
  return numbered.length === 0
    ? []
    : [
        `another label already has the id, so a number was added: ${namedFew(numbered)}. If they are one workflow, give them one id in ${idFileName} and run init again.`,
      ];
}

/** What the file of ids does to the labels of this source. */
function idDecisions({ labels }: DraftedProject, known: ReadonlyMap<string, WorkflowId>): readonly string[] {
  const mapped = labels.filter(({ label, workflowId }) => label !== workflowId).length;
  const ids = new Set<string>(labels.map(({ workflowId }) => workflowId));
  const cut = labels.filter(({ label, workflowId }) => workflowId.length === 128 && label.length > 128).length;
  const unused = [...known].filter(([, id]) => !ids.has(id)).map(([label]) => `"${label}"`);
  return [
    ...(mapped === 0
      ? []
      : [
          `${counted(mapped, "label is not a valid workflow id", "labels are not valid workflow ids")}; ${idFileName} lists the new ids.`,
        ]),
    ...(cut === 0
      ? []
      : [`${counted(cut, "id was", "ids were")} cut to 128 characters; ${idFileName} has the whole names.`]),
    ...(unused.length === 0 ? [] : [`${idFileName} also lists labels without a workflow here: ${namedFew(unused)}.`]),
  ];
}

/**
 * Drafts a project from a source and writes it. A file that a person edited is never touched: drafts are then written
 * next to the files with the suffix `.proposed`, for a person to merge.
 * @throws {SluiceError} as `parseSource`; FILE_EXISTS  a proposal that a person edited waits to be merged, or the project
 *   has the requests of another source
 */
export async function initProject(options: InitOptions): Promise<InitializedProject> {
  const { ids, mapped, ...drafted } = await previewProject(options);
  const { parsedSource, draft, project } = drafted;
  const { catalogSource, log, folder } = options;
  const logBytes = log === undefined ? null : datasetBytes(testedRows(log, draft.catalog));
  if (catalogSource?.tested?.folder === resolve(folder) && logBytes !== null) {
    return { ...drafted, project: catalogSource.tested, files: await startNewTest(catalogSource, logBytes) };
  }
  await requireSameSource(options, drafted);
  await makeFolder(options.folder);
  const files = [
    [
      projectFileName,
      Buffer.from(`${schemaLine(schemaFiles.project)}${projectYaml(project, alsoColumns(parsedSource))}`),
    ],
    ["catalog.yaml", catalogSource?.bytes ?? Buffer.from(catalogYaml(draft.catalog, schemaFiles.catalog))],
    ["requests.jsonl", datasetBytes(draft.requests)],
    ...(draft.followUps.length === 0 ? [] : [["follow-ups.jsonl", datasetBytes(draft.followUps)] as const]),
    ...(logBytes === null ? [] : [["log.jsonl", logBytes] as const]),
    ...(mapped === 0 ? [] : [[idFileName, idFileBytes(ids)] as const]),
    ...(parsedSource.leftOut.length === 0 ? [] : [[leftOutFileName, leftOutCsv(parsedSource.leftOut)] as const]),
  ] as const;
  await writeSchemas(options.folder);
  return { ...drafted, files: await writeDrafts(options.folder, new Map(files)) };
}

/**
 * Refuses to replace the requests of a project by those of another source. Options of the source, such as another column,
 * may change every text. An edited file is never replaced.
 */
async function requireSameSource(
  { folder, choices }: Pick<InitOptions, "folder" | "choices">,
  { draft, parsedSource }: Pick<InitializedProject, "draft" | "parsedSource">,
): Promise<void> {
  const file = join(folder, "requests.jsonl");
  const before = await readFile(file).catch(() => null);
  if (before === null || before.length === 0 || Object.keys(choices).length > 0) return;
  if (!(await isUneditedDraft(folder, "requests.jsonl", before))) return;
  const old = readJsonl(before, file);
  const texts = new Set(
    [...draft.requests, ...parsedSource.texts, ...parsedSource.followUps].map(({ text }) => text.trim()),
  );
  const lost = old.filter(({ text }) => !texts.has(text.trim())).length;
  if (lost * 2 <= old.length) return;
  throw new SluiceError(
    "FILE_EXISTS",
    `${file}: ${lost} of its ${old.length} requests would be lost, because this source does not contain them`,
    {
      hint: say`To add the requests of this source to the project: ${command`sluice init FILE --add`}. For another project, name another folder with --into.`,
    },
  );
}

async function makeFolder(folder: string): Promise<void> {
  await makeFolders(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError("WRITE_FAILED", `${folder}: cannot be created (${cause.code ?? "no code"})`, {
      hint: say`Choose a writable folder: ${command`sluice init FILE --into DIR`}`,
      cause,
    });
  });
}

/** Generated schemas for editors, relative to the project; a newer version of Sluice overwrites them. */
const schemaFiles = { project: ".sluice/project.schema.json", catalog: ".sluice/catalog.schema.json" } as const;

async function writeSchemas(folder: string): Promise<void> {
  for (const name of ["project", "catalog"] as const) {
    const file = join(folder, schemaFiles[name]);
    await makeFolder(dirname(file));
    await rm(file, { force: true });
    await writeNewFile(file, Buffer.from(jsonSchemaText(handWrittenFiles[name])), fileMode);
  }
}

export interface SourceSettings extends Partial<Omit<MaterialChoices, "outOfScopeLabels">> {
  /** Labels that mean out of scope, in addition to the default ones. */
  readonly outOfScopeLabels?: readonly string[];
}

/** Merges settings: the caller's, otherwise the project file's, otherwise the defaults. */
export async function settledChoices({ folder, files, choices }: InitOptions): Promise<MaterialChoices> {
  const file = join(folder, projectFileName);
  const rules = existsSync(file) ? ((await readProject(file)).source ?? {}) : {};
  const saved: SourceSettings = givenOnly({
    textColumn: rules.text_column,
    labelColumn: rules.label_column,
    partColumn: rules.part_column,
    conversationColumn: rules.conversation_column === "none" ? null : rules.conversation_column,
    turnColumn: rules.turn_column,
    sheet: rules.sheet,
  });
  const { outOfScopeLabels = rules.out_of_scope_labels ?? [], ...given } = choices;
  const settled = {
    ...defaultChoices,
    ...givenOnly({
      language: rules.language,
      encoding: rules.encoding,
      severalLabels: rules.several_labels,
      lookAlikes: rules.look_alikes,
      clean: rules.clean,
    }),
    ...given,
    outOfScopeLabels: [...defaultChoices.outOfScopeLabels, ...outOfScopeLabels],
  };
  // The columns of a different file may have different names.
  if (Object.keys(saved).length === 0) return settled;
  const fits = await parseSource(files, { ...settled, ...saved, ...given }).then(
    () => true,
    () => false,
  );
  return fits ? { ...settled, ...saved, ...given } : settled;
}

const alsoColumns = ({ columns }: SourceMaterial): AlsoColumns =>
  columns === null ? {} : { text_column: columns.alsoTexts, label_column: columns.alsoLabels };

/** The settings of a source that are stored in the project file. */
function sourceRules({ columns }: SourceMaterial, choices: MaterialChoices): SourceRules {
  const further = choices.outOfScopeLabels.filter((label) => !defaultChoices.outOfScopeLabels.includes(label));
  return {
    ...givenOnly({
      text_column: columns === null ? undefined : textColumnRule(columns.textColumn),
      label_column: columns?.labelColumn,
      part_column: columns?.partColumn ?? undefined,
      conversation_column: choices.conversationColumn === null ? "none" : (columns?.conversationColumn ?? undefined),
      turn_column: columns?.turnColumn ?? undefined,
      sheet: choices.sheet,
      language: choices.language,
      encoding: choices.encoding,
      out_of_scope_labels: further.length === 0 ? undefined : further,
      clean: choices.clean,
    }),
    several_labels: choices.severalLabels,
    look_alikes: choices.lookAlikes,
  };
}

function textColumnRule(columns: TextColumns): string | string[] {
  return typeof columns === "string" ? columns : [...columns];
}

function projectOf(
  options: InitOptions,
  { source, follows }: { readonly source: SourceRules; readonly follows: boolean },
): ProjectFile {
  const { name, seed, people, models = {}, shipped = "default", folder, log } = options;
  const modelFrom = (own: string | undefined): string =>
    own === undefined ? projectNames[shipped] : fromProject(folder, own);
  return {
    schema_version: 1,
    name,
    catalog: "catalog.yaml",
    requests: "requests.jsonl",
    ...(follows ? { follow_ups: "follow-ups.jsonl" } : {}),
    ...(log === undefined ? {} : { log: "log.jsonl" }),
    models: { retriever: modelFrom(models.retriever), verifier: modelFrom(models.verifier) },
    claim: { population: "this_catalog", target: log === undefined ? "auto" : 0.1, confidence: 0.95 },
    source,
    seed,
    ...(people === undefined ? {} : { people }),
  };
}

/** Path of a model folder for the project file: relative to the project, so that both can be moved together. */
function fromProject(folder: string, model: string): string {
  return isAbsolute(model) ? model : relative(resolve(folder), resolve(model));
}

/** Name of the project file that lists the rows of the sources that are not used. */
export const leftOutFileName = "left-out.csv";

/**
 * The file of unused rows: CSV with one line per row, without its text.
 * @param before  a file that lists the rows of earlier sources, whose lines stay unless a source is read again; "" without one
 */
export function leftOutCsv(rows: readonly LeftOutRow[], before = ""): Buffer {
  const lines = rows.map(({ file, at, reason, detail = "" }) =>
    csvLine([file, at, reason, `${leftOutReasons[reason]}${detail}`]),
  );
  const again = [...new Set(rows.map(({ file }) => `${csvLine([file])},`))];
  const isEarlier = (line: string): boolean => line !== "" && !again.some((start) => line.startsWith(start));
  const header = before === "" ? ["file,place,reason,explanation"] : before.split(/\r?\n/).filter(isEarlier);
  return Buffer.from(`${[...new Set([...header, ...lines])].join("\n")}\n`);
}

const fileMode = 0o644;

/** The source of a project, and where to write it. */
export type CreateProjectOptions = OptionsOf<typeof createProjectOptions>;
type Given = ValuesOf<typeof createProjectOptions>;

/**
 * Reads the source of a project and fills in what an existing project determines.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, TOO_LARGE
 */
export async function readInitSource(
  { actor }: Pick<WorkbenchContext, "actor">,
  options: CreateProjectOptions,
): Promise<{ readonly source: string; readonly options: InitOptions }> {
  const given = resolveOptions("createProject", createProjectOptions, options);
  const { into: folder, source = exampleSource(), seed = 1, models: shipped } = given;
  const kept = await keptSettings(folder);
  const { owner = kept.owner ?? actor, tier = kept.tier ?? "medium" } = given;
  const people = peopleOf(actor, given) ?? kept.people;
  const choices = choicesOf(given);
  const models = givenOnly({
    retriever: folderOf("--retriever", given.retriever),
    verifier: folderOf("--verifier", given.verifier),
  });
  const files = await filesOfSource(source, given.standardInput);
  const tested = given.log === undefined ? {} : await readTested(source, given.log, choices);
  const asked = { folder, files, name: projectName(source), owner, tier, seed: kept.seed ?? seed, shipped, choices };
  return { source, options: { ...asked, models, ...givenOnly({ people }), ...tested } };
}

const choicesOf = (given: Given): SourceSettings =>
  givenOnly({
    outOfScopeLabels: given.outOfScopeLabel.length === 0 ? undefined : given.outOfScopeLabel,
    severalLabels: given.severalLabels,
    lookAlikes: given.lookAlikes,
    clean: given.clean ? true : undefined,
    language: given.language,
    encoding: given.encoding,
    textColumn: given.textColumn.length === 0 ? undefined : asTextColumns(given.textColumn),
    labelColumn: given.labelColumn,
    partColumn: given.partColumn,
    conversationColumn: given.conversationColumn === "none" ? null : given.conversationColumn,
    turnColumn: given.turnColumn,
    sheet: given.sheet,
  });

/**
 * Checks that a model is given as a folder, which can be moved with the project. An id refers to a record of a single
 * history.
 */
function folderOf(flag: string, model: Reference | undefined): string | undefined {
  if (model === undefined || model.kind === "file") return model?.path;
  throw new SluiceError("USAGE", `${flag}: found the id ${model.id}, expected a model folder`, {
    hint: `Write a path, for example ${flag} ./${model.id}`,
  });
}

/** The people who sign releases, if approvers are given. */
function peopleOf(actor: string, { producer, approver: approvers }: Given): ProjectPeople | undefined {
  if (approvers.length === 0 && producer === undefined) return undefined;
  if (approvers.length >= 2) return { producer: producer ?? actor, approvers: [...approvers] };
  throw new SluiceError("USAGE", `--approver: found ${approvers.length}, expected two people or more`, {
    hint: "Name two approvers other than the producer, or omit the people for now.",
  });
}

/** The log to test, and the source if it is a catalog. */
async function readTested(
  source: string,
  log: string,
  choices: SourceSettings,
): Promise<Pick<InitOptions, "log" | "catalogSource">> {
  const catalogSource = await readCatalogSource(source);
  return { log: await readLogSource(log, choices), ...(catalogSource === null ? {} : { catalogSource }) };
}

async function filesOfSource(source: string, standardInput: Given["standardInput"]) {
  if (source !== "-" || standardInput === undefined) return readSourceFiles(source);
  return [{ file: "standard-input", bytes: await standardInput() }];
}

/**
 * The people of an existing project, the seed with which its log is divided, and the owner and tier that all its workflows
 * share.
 */
async function keptSettings(
  folder: string,
): Promise<{ people?: ProjectPeople; seed?: number; owner?: string; tier?: RiskTier }> {
  const file = join(folder, projectFileName);
  if (!existsSync(file)) return {};
  const { people, catalog: path, log, seed } = await readProject(file);
  const workflows = await loadCatalog(path).then(
    ({ catalog }) => catalog.workflows,
    () => [],
  );
  const [first, ...others] = workflows;
  const { owner, risk_tier: tier } = first ?? {};
  return givenOnly({
    people,
    seed: log === undefined ? undefined : seed,
    owner: others.every((each) => each.owner === owner) ? (owner ?? undefined) : undefined,
    tier: others.every((each) => each.risk_tier === tier) ? tier : undefined,
  });
}

/** The choice of columns that stopped a draft because only a person can make it; null for any other error. */
export function openQuestion(error: unknown): ColumnQuestion | null {
  const cause = error instanceof SluiceError ? error.cause : undefined;
  return cause instanceof UnsettledColumns ? cause.question : null;
}

/**
 * Drafts a project from a source and writes it: `catalog.yaml` to edit, `requests.jsonl` that measures it, and
 * `sluice.yaml`. Files that nobody edited since are replaced; otherwise the drafts are written next to them as `.proposed`.
 *
 * @example await createProject(workbench, { into: "my-router", source: "tickets.csv", owner: "support" });
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, TOO_LARGE, FORMAT_UNKNOWN, DOCUMENT_INVALID  no workflow is named;
 *   FILE_EXISTS  an edited proposal waits to be merged
 */
export async function createProject(
  workbench: WorkbenchContext,
  options: CreateProjectOptions,
): Promise<InitializedProject> {
  return initProject((await readInitSource(workbench, options)).options);
}

/** Maximum length of a drafted name, in characters. */
const longestName = 60;

/** Name of a project drafted from a file: the file name without extension, accents and punctuation. */
export function projectName(source: string): string {
  const plain = basename(source, extname(source)).normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
  const name = plain.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "");
  return name.slice(0, longestName) || "project";
}

/** The small shipped example. */
function exampleSource(): string {
  return join(packageFolder(), "datasets", "example", "support-requests.csv");
}
