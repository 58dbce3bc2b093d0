import type { TSchema } from "../src/base/typebox.js";
import { CatalogFileSchema } from "../src/documents/catalog.js";
import { DatasetRowSchema } from "../src/documents/dataset.js";
import { retrieverSchemas, verifierSchemas } from "../src/documents/model.js";
import { RoutingPolicySchema } from "../src/documents/policy.js";
import { ProjectSchema } from "../store/project/project-file.js";

export interface HandWrittenFile {
  /** Name of the file in documentation and messages. */
  readonly file: string;
  readonly title: string;
  readonly schema: object;
}

/** Every file of the workbench that people write or edit, by schema name. */
export const handWrittenFiles = {
  catalog: { file: "catalog.yaml", title: "Catalog of workflows", schema: CatalogFileSchema },
  project: { file: "sluice.yaml", title: "Sluice project", schema: ProjectSchema },
  policy: { file: "policy.yaml", title: "Routing policy", schema: RoutingPolicySchema },
  requests: { file: "a line of requests.jsonl", title: "Labelled request", schema: DatasetRowSchema },
  retriever: { file: "router_model.json", title: "Description of a retriever", schema: oneOf(retrieverSchemas) },
  verifier: { file: "router_model.json", title: "Description of a verifier", schema: oneOf(verifierSchemas) },
} as const satisfies Readonly<Record<string, HandWrittenFile>>;

function oneOf(schemas: Readonly<Record<string, TSchema>>): object {
  return { anyOf: Object.values(schemas) };
}

/** A schema as a JSON Schema document; the bytes are reproducible. */
export function jsonSchemaText({ title, schema }: HandWrittenFile): string {
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...schema };
  return `${JSON.stringify(document, null, 2)}\n`;
}
