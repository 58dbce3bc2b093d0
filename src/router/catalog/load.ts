import { readFile } from "node:fs/promises";
import { sha256Hex, type Sha256 } from "../../base/sha256.js";
import {
  type Catalog,
  CatalogFileSchema,
  type CatalogFile,
  type ResolvableInput,
  type Workflow,
  type WorkflowFile,
  type WorkflowInputFile,
} from "../../documents/catalog.js";
import { command, say, SluiceError } from "../../base/error.js";
import { placed, readYaml } from "./read-yaml.js";
import { catalogProblems, productionProblemLines } from "./rules.js";
import { yamlPlaces } from "./yaml-places.js";

const maxCatalogBytes = 32 * 1024 * 1024;

/**
 * Parses the bytes of a catalog file (YAML 1.2 or JSON). The identity of the catalog is the SHA-256 of these bytes.
 *
 * @param name  name of the file in messages
 * @throws {SluiceError} TOO_LARGE, DOCUMENT_INVALID, CATALOG_INVALID
 */
export function parseCatalog(bytes: Uint8Array, name: string): Catalog {
  if (bytes.length > maxCatalogBytes) {
    throw new SluiceError("TOO_LARGE", `${name}: ${bytes.length} bytes, at most ${maxCatalogBytes} are read`);
  }
  const file = readYaml(CatalogFileSchema, bytes, name);
  const catalog = normaliseCatalog(file, sha256Hex(bytes));
  const problems = catalogProblems(catalog);
  if (problems.length === 0) return catalog;
  const places = yamlPlaces(bytes);
  const lines = problems.map(({ path, message }) => placed(places.valueAt(path) ?? {}, message));
  throw new SluiceError("CATALOG_INVALID", `${name}: ${lines.join("; ")}`, {
    hint: say`Correct these workflows, then run: ${command`sluice catalog check ${name}`}`,
    details: { problems: lines },
  });
}

/** Reads and parses a catalog file. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, and those of `parseCatalog` */
export async function loadCatalog(path: string): Promise<{ readonly catalog: Catalog; readonly bytes: Buffer }> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") {
      throw new SluiceError("FILE_NOT_FOUND", `${path}: no such file`, { cause });
    }
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "unknown cause"})`, { cause });
  });
  return { catalog: parseCatalog(bytes, path), bytes };
}

/** @throws {SluiceError} CATALOG_NOT_PRODUCTION with every problem */
export function requireProductionCatalog(catalog: Catalog): void {
  const problems = productionProblemLines(catalog);
  if (problems.length === 0) return;
  throw new SluiceError("CATALOG_NOT_PRODUCTION", `catalog ${catalog.catalog_version}: ${problems.join("; ")}`, {
    hint: say`Give every active workflow an owner and every event one workflow. One owner for all: ${command`sluice dataset import FILE --owner NAME`}`,
    details: { problems },
  });
}

const normaliseInput = (input: WorkflowInputFile): ResolvableInput => ({
  name: input.name,
  description: input.description ?? "",
  aliases: input.aliases ?? [],
  pattern: input.pattern ?? null,
});

const normaliseWorkflow = (workflow: WorkflowFile): Workflow => ({
  workflow_id: workflow.workflow_id,
  version: workflow.version,
  name: workflow.name,
  description: workflow.description,
  owner: workflow.owner ?? null,
  status: workflow.status ?? "active",
  risk_tier: workflow.risk_tier,
  side_effect: workflow.side_effect,
  confirmation: workflow.confirmation ?? "never",
  capabilities: workflow.capabilities ?? [],
  exclusions: workflow.exclusions ?? [],
  examples: workflow.examples ?? [],
  required_inputs: (workflow.required_inputs ?? []).map(normaliseInput),
  optional_inputs: (workflow.optional_inputs ?? []).map(normaliseInput),
  ...(workflow.negation === undefined ? {} : { negation: workflow.negation }),
  event_types: workflow.event_types ?? [],
  metadata: workflow.metadata ?? {},
});

/** Fills every default into a file that satisfies the schema. */
function normaliseCatalog(file: CatalogFile, sha256: Sha256): Catalog {
  return { catalog_version: file.catalog_version, sha256, workflows: file.workflows.map(normaliseWorkflow) };
}
