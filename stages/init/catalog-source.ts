import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import type { DraftedProject } from "../../datasets/draft/draft-project.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import type { SourceMaterial } from "../../datasets/sources/parsed-source.js";
import { readIfThere, readRegularInput, replaceFile } from "../../src/base/files.js";
import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { projectFileName } from "../../src/documents/choices.js";
import { counted } from "../../src/documents/number-text.js";
import { type ProjectFile, readProject } from "../../store/project/project-file.js";
import { withExamples } from "../catalog/edit-catalog.js";
import type { WrittenFile } from "./write-drafts.js";

/** A catalog file as the source of a project whose log is tested. */
export interface CatalogSource {
  readonly bytes: Buffer;
  readonly catalog: CatalogFile;
  /** Number of requests that people labelled for an earlier test and that are examples now. */
  readonly added: number;
  /** The project whose catalog this is, with the log of the earlier test; null if there is none. */
  readonly tested: (ProjectFile & { readonly log: string; readonly folder: string }) | null;
}

/** Reads a catalog, and the requests that people labelled to test its routes; null if the file is no catalog. */
export async function readCatalogSource(path: string): Promise<CatalogSource | null> {
  if (!/\.(?:ya?ml|json)$/i.test(path)) return null;
  const before = await readRegularInput(path);
  const first = catalogIn(before, path);
  if (first === null) return null;
  const tested = await testedProjectOf(path);
  const requests = tested === null ? null : await readIfThere(tested.requests);
  const labelled = requests === null ? [] : readJsonl(requests, "requests.jsonl");
  const { bytes } = withExamples(before, labelled);
  const catalog = catalogIn(bytes, path) ?? first;
  return { bytes, catalog, added: examplesIn(catalog) - examplesIn(first), tested };
}

function catalogIn(bytes: Uint8Array, path: string): CatalogFile | null {
  try {
    return checkSchema(CatalogFileSchema, parse(new TextDecoder().decode(bytes)), path);
  } catch {
    return null;
  }
}

const examplesIn = ({ workflows }: CatalogFile): number =>
  workflows.reduce((sum, { examples = [] }) => sum + examples.length, 0);

async function testedProjectOf(path: string): Promise<CatalogSource["tested"]> {
  const folder = dirname(resolve(path));
  const project = await readProject(join(folder, projectFileName)).catch(() => null);
  if (project?.log === undefined || resolve(project.catalog) !== resolve(path)) return null;
  return { ...project, log: project.log, folder };
}

/** The catalog as a draft without requests. */
export const draftOf = ({ catalog }: CatalogSource): DraftedProject => ({
  catalog,
  requests: [],
  followUps: [],
  taught: [],
  labels: catalog.workflows.map(({ workflow_id, examples = [] }) => ({
    label: workflow_id,
    workflowId: workflow_id,
    examples: examples.length,
    heldOut: 0,
  })),
  outOfScope: 0,
  everyText: false,
});

export const materialOf = ({ added }: CatalogSource): SourceMaterial => ({
  kind: "yaml",
  texts: [],
  followUps: [],
  workflows: [],
  leftOut: [],
  decisions: [
    "The catalog is used as it is.",
    ...(added === 0
      ? []
      : [
          `${counted(added, "request that people labelled became an example", "requests that people labelled became examples")}.`,
        ]),
  ],
  warnings: [],
  columns: null,
  preview: null,
  sources: [],
  ids: new Map(),
});

/** Replaces the log of a project, and makes its labelled requests examples, which `CatalogSource.bytes` contains. */
export async function startNewTest({ bytes, tested }: CatalogSource, log: Buffer): Promise<readonly WrittenFile[]> {
  if (tested === null) return [];
  const files = [
    [tested.catalog, bytes],
    [tested.requests, Buffer.alloc(0)],
    [tested.log, log],
  ] as const;
  for (const [file, content] of files) await replaceFile(file, content, 0o644);
  return files.map(([file]) => ({ file, state: "replaced" }));
}
