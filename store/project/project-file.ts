import { existsSync } from "node:fs";
import { projectFileName, sliceFields } from "../../src/documents/choices.js";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { type Static, type TSchema, Type } from "../../src/base/typebox.js";
import { Document, isScalar } from "yaml";
import { readInput, replaceFile } from "../../src/base/files.js";
import { readYaml } from "../../src/router/catalog/read-yaml.js";
import { LanguageSchema, object, ProbabilitySchema } from "../../src/documents/primitives.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { isStoreUrl, type QueueSettings, QueueSettingsSchema } from "./queue-settings.js";
import { projectNames, shippedBy } from "../shipped-models.js";
import { PeopleSchema, peopleYaml, type ProjectPeople, requirePeople } from "./people.js";

const shippedWords = Object.values(projectNames)
  .map((name) => `"${name}"`)
  .join(", ");

const path = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description });
const share = (description: string) => Type.Number({ ...ProbabilitySchema, description });

const rule = <S extends TSchema>(schema: S) => Type.Optional(schema);

/**
 * How a source was read. A later `sluice init` in the same folder reads it in the same way, unless its flags say
 * otherwise.
 */
const SourceRulesSchema = object({
  text_column: rule(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 2, maxItems: 20 })], {
      description: "Column of the request texts, or a list of columns to join.",
    }),
  ),
  label_column: rule(Type.String({ description: "Column of the labels." })),
  part_column: rule(Type.String({ description: "Column with train, validation or test." })),
  conversation_column: rule(Type.String({ description: "Column of the conversation; none: every text stands alone." })),
  turn_column: rule(Type.String({ description: "Column that orders a conversation." })),
  sheet: rule(Type.String({ description: "Sheet of a workbook." })),
  language: rule(Type.String({ description: "Language of the phrases." })),
  encoding: rule(Type.String({ description: "Encoding of text files." })),
  out_of_scope_labels: rule(
    Type.Array(Type.String(), {
      maxItems: 1000,
      description: "Labels that mean out of scope, in addition to the usual ones.",
    }),
  ),
  several_labels: rule(Type.Enum(["leave-out", "first"], { description: "How to treat a row with several labels." })),
  look_alikes: rule(
    Type.Enum(["merge", "keep"], { description: "How to treat labels that differ only in case and separators." }),
  ),
  clean: rule(Type.Boolean({ description: "Removes quoted emails, signatures and HTML from the texts." })),
});
export type SourceRules = Static<typeof SourceRulesSchema>;

/** `sluice.yaml`: the files of a project and its claim. Paths are relative to the project folder. */
export const ProjectSchema = object({
  schema_version: Type.Literal(1, { description: "Version of this format." }),
  name: Type.String({ minLength: 1, maxLength: 80, description: "Name of the project." }),
  catalog: path("Catalog file, relative to this file."),
  requests: path("Labelled test requests, JSON Lines."),
  follow_ups: Type.Optional(path("Labelled requests that follow another one, JSON Lines.")),
  grants: Type.Optional(path("Grant policy of the server; the claim is then about its callers.")),
  log: Type.Optional(path("Unlabelled requests of the service, JSON Lines, for sluice label.")),
  models: object({
    retriever: path(`${shippedWords}, or a model folder.`),
    verifier: path(`${shippedWords}, or a model folder.`),
  }),
  claim: object({
    population: Type.Enum(["this_catalog", "new_workflows"], {
      description: "this_catalog: new requests for these workflows. new_workflows: workflows never seen.",
    }),
    target: Type.Union([Type.Literal("auto"), Type.Number({ ...ProbabilitySchema })], {
      description: "Planned limit on the share of wrong routes; looser targets are tested first; auto: 5%.",
    }),
    confidence: share("Probability that the claim holds."),
    languages: rule(
      Type.Array(LanguageSchema, {
        minItems: 1,
        description: "Languages that the claim covers, such as en; by default those of enough tested requests.",
      }),
    ),
    require_slices: rule(
      Type.Enum([...sliceFields], {
        description:
          "language: each language has a claim and a threshold of its own; one without enough evidence is declined.",
      }),
    ),
    require_tiers: rule(
      object(
        {
          low: rule(ProbabilitySchema),
          medium: rule(ProbabilitySchema),
          high: rule(ProbabilitySchema),
          critical: rule(ProbabilitySchema),
        },
        { description: "Targets of tiers with a claim of their own, at most the planned one." },
      ),
    ),
  }),
  source: Type.Optional(SourceRulesSchema),
  generated_texts: Type.Optional(
    Type.Boolean({
      description: "true: the texts were generated or paraphrased; those that mean the same count as one.",
    }),
  ),
  seed: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: "Seed of the draws of examples and folds; do not change it.",
  }),
  people: Type.Optional(PeopleSchema),
  queue: Type.Optional(QueueSettingsSchema),
  gates: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, description: "A gate, as --gate takes it." }), {
      maxItems: 100,
      description: "Gates that the result of a run must meet.",
    }),
  ),
});
export type ProjectFile = Static<typeof ProjectSchema>;

/**
 * Reads a project file. The returned paths are relative to the caller's folder, not the project's.
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID
 */
export async function readProject(file: string): Promise<ProjectFile> {
  const project = readYaml(ProjectSchema, await projectBytes(file), file);
  if (project.people !== undefined) requirePeople(project.people, file);
  requireOneTest(project, file);
  const at = (path: string): string => (isAbsolute(path) ? path : join(dirname(file), path));
  const modelAt = (path: string): string => (shippedBy(path) === undefined ? at(path) : path);
  const { retriever, verifier } = project.models;
  return {
    ...project,
    catalog: at(project.catalog),
    requests: at(project.requests),
    ...(project.follow_ups === undefined ? {} : { follow_ups: at(project.follow_ups) }),
    ...(project.log === undefined ? {} : { log: at(project.log) }),
    ...(project.grants === undefined ? {} : { grants: at(project.grants) }),
    models: { retriever: modelAt(retriever), verifier: modelAt(verifier) },
    ...(project.queue === undefined ? {} : { queue: queueAt(project.queue, at) }),
  };
}

/** Refuses, before anything is scored or labelled, what tests all languages together where each has a test. */
function requireOneTest({ claim, follow_ups: followUps, log }: ProjectFile, file: string): void {
  if (claim.require_slices === undefined) return;
  const conflicts = [
    ...(claim.population === "this_catalog" ? [] : [`population: ${claim.population}`]),
    ...(claim.require_tiers === undefined ? [] : ["require_tiers"]),
    ...(followUps === undefined ? [] : ["follow_ups"]),
    ...(log === undefined ? [] : ["log"]),
  ];
  if (conflicts.length === 0) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `${file}: found ${conflicts.join(", ")} with require_slices: ${claim.require_slices}, expected population: this_catalog alone`,
    { hint: `Remove require_slices or ${conflicts.join(", ")} from ${file}.` },
  );
}

function queueAt(queue: QueueSettings, at: (path: string) => string): QueueSettings {
  const { credentials, ca, key, inputs, inputs_credentials } = queue;
  return {
    ...queue,
    ...(credentials === undefined ? {} : { credentials: at(credentials) }),
    ...(ca === undefined ? {} : { ca: at(ca) }),
    ...(key === undefined ? {} : { key: at(key) }),
    ...(inputs === undefined ? {} : { inputs: isStoreUrl(inputs) ? inputs : at(inputs) }),
    ...(inputs_credentials === undefined ? {} : { inputs_credentials: at(inputs_credentials) }),
  };
}

/** Reads the project in the current folder; null if there is none. @throws {SluiceError} those of `readProject` */
export const projectHere = async (): Promise<ProjectFile | null> =>
  existsSync(projectFileName) ? readProject(projectFileName) : null;

async function projectBytes(file: string): Promise<Buffer> {
  return readInput(file).catch((cause: unknown) => {
    if (!(cause instanceof SluiceError) || cause.code !== "FILE_NOT_FOUND") throw cause;
    throw new SluiceError("FILE_NOT_FOUND", `${file}: no project found here`, {
      hint: say`Set its folder with -C DIR, or create a project: ${command`sluice init FILE --into DIR`}`,
      cause,
    });
  });
}

/**
 * Adds the people who sign releases to a project file that names none; every other byte is preserved.
 * @throws {SluiceError} DOCUMENT_INVALID  the people could never release, or the file names different people
 */
export async function namePeople(file: string, people: ProjectPeople): Promise<ProjectFile> {
  requirePeople(people, file);
  const project = await readProject(file);
  if (project.people !== undefined) {
    const { producer, approvers } = project.people;
    if (producer === people.producer && approvers.join() === people.approvers.join()) return project;
    throw new SluiceError("DOCUMENT_INVALID", `${file}: names the producer ${producer} and ${approvers.join(", ")}`, {
      hint: `Omit people on the command line, or change them in ${file}.`,
    });
  }
  const text = await readFile(file, "utf8");
  await replaceFile(file, Buffer.from(`${text}${text.endsWith("\n") ? "" : "\n"}${peopleYaml(people)}`), 0o644);
  return { ...project, people };
}

/** Columns that could have been chosen instead, by the setting that names the chosen one. */
export type AlsoColumns = Readonly<Partial<Record<"text_column" | "label_column", readonly string[]>>>;

/** Writes the file of a new project, with a comment for each field. */
export function projectYaml(project: ProjectFile, also: AlsoColumns = {}): string {
  const { name, catalog, requests, follow_ups: followUps, log, models, claim, source, seed, people } = project;
  return [
    "# A Sluice project. `sluice run` runs outdated steps, `sluice status` shows the state.",
    "schema_version: 1",
    `name: ${JSON.stringify(name)}`,
    `catalog: ${catalog}     # the workflows; edit it`,
    `requests: ${requests}  # labelled test requests${log === undefined ? "; add more" : ", written by sluice label"}`,
    ...(followUps === undefined ? [] : [`follow_ups: ${followUps}  # labelled requests that follow another one`]),
    ...(log === undefined ? [] : [`log: ${log}  # unlabelled requests, labelled with: sluice label`]),
    "models:",
    `  retriever: ${models.retriever}  # ${shippedWords}, or your own model folder`,
    `  verifier: ${models.verifier}`,
    "claim:",
    `  population: ${claim.population}  # this_catalog: new requests for these workflows. new_workflows: workflows never seen`,
    `  target: ${claim.target}          # planned limit of wrong routes; looser targets are tested first; auto: 5%`,
    `  confidence: ${claim.confidence}     # probability that the claim holds`,
    "  # languages: [en]                    # by default those with enough tested requests; others are declined",
    "  # require_slices: language            # a claim and a threshold for each language",
    "  # require_tiers: { critical: 0.02 }  # tiers with a claim of their own, at most the planned target",
    ...(source === undefined ? [] : [sourceYaml(source, also)]),
    `seed: ${seed}              # draws examples and folds; keep it`,
    ...(people === undefined ? [] : [peopleYaml(people).trimEnd()]),
    "# gates:  # a run ends with exit code 3 when one is not met",
    "#   - certified",
    "#   - coverage>=0.3",
    "",
  ].join("\n");
}

function sourceYaml(source: SourceRules, also: AlsoColumns): string {
  const document = new Document(source);
  for (const rule of ["text_column", "label_column"] as const) {
    const others = (also[rule] ?? []).map((name) => JSON.stringify(name)).join(", ");
    const node = document.get(rule, true);
    if (others !== "" && isScalar(node)) node.comment = ` or ${others}`;
  }
  const rules = document
    .toString({ lineWidth: 0 })
    .trimEnd()
    .replace(/^(?=.)/gm, "  ");
  return `source:  # how the file was read; edit it, and run init again\n${rules}`;
}
