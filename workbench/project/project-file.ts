import { dirname, isAbsolute, join } from "node:path";
import { type Static, Type } from "typebox";
import { readYaml } from "../../src/catalog/read-yaml.js";
import { closed, ProbabilitySchema } from "../../src/domain/primitives.js";
import { readInput } from "../read-input.js";

/** Name of the project file in its folder. */
export const projectFileName = "sluice.yaml";

/** A name that stands for the models that Sluice ships. */
export const shippedModels = "shipped";

const path = Type.String({ minLength: 1, maxLength: 4096 });

/** `sluice.yaml`: what belongs to a project and what it promises. Paths are relative to its folder. */
export const ProjectSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    catalog: path,
    requests: path,
    models: Type.Object({ retriever: path, verifier: path }, closed),
    claim: Type.Object(
      {
        population: Type.Enum(["this_catalog", "new_workflows"]),
        target: ProbabilitySchema,
        confidence: ProbabilitySchema,
      },
      closed,
    ),
    seed: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  },
  closed,
);
export type ProjectFile = Static<typeof ProjectSchema>;

/**
 * The project of a file. Its paths come back as seen from where the caller stands, not from the folder of the project.
 * @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function readProject(file: string): Promise<ProjectFile> {
  const project = readYaml(ProjectSchema, await readInput(file), file);
  const at = (path: string): string => (isAbsolute(path) ? path : join(dirname(file), path));
  const modelAt = (path: string): string => (path === shippedModels ? path : at(path));
  const { retriever, verifier } = project.models;
  return {
    ...project,
    catalog: at(project.catalog),
    requests: at(project.requests),
    models: { retriever: modelAt(retriever), verifier: modelAt(verifier) },
  };
}

/** The file of a new project, with a comment for each field. */
export function projectYaml(project: ProjectFile): string {
  const { name, catalog, requests, models, claim, seed } = project;
  return [
    "# A Sluice project. `sluice run` does what is missing, `sluice status` says where it stands.",
    "schema_version: 1",
    `name: ${JSON.stringify(name)}`,
    `catalog: ${catalog}     # the workflows; edit it`,
    `requests: ${requests}  # labelled requests that measure; add to it`,
    "models:",
    `  retriever: ${models.retriever}  # "${shippedModels}", or a model folder of yours`,
    `  verifier: ${models.verifier}`,
    "claim:",
    `  population: ${claim.population}  # this_catalog: new requests to these workflows. new_workflows: workflows never seen`,
    `  target: ${claim.target}          # at most this share of the routes may be wrong`,
    `  confidence: ${claim.confidence}     # probability that the claim holds`,
    `seed: ${seed}              # draws examples and folds; keep it`,
    "",
  ].join("\n");
}
