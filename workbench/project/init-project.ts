import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { catalogYaml } from "../../datasets/draft/catalog-yaml.js";
import { type DraftedProject, type DraftOptions, draftProject } from "../../datasets/draft/draft-project.js";
import type { MaterialChoices } from "../../datasets/sources/choices.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { type LeftOutRow, leftOutReasons, type SourceMaterial } from "../../datasets/sources/material.js";
import { readMaterial } from "../../datasets/sources/read-material.js";
import { writeNewFile } from "../../src/artifacts/write-new-file.js";
import { SluiceError } from "../../src/errors/error.js";
import { type ProjectFile, projectFileName, projectYaml, shippedModels } from "./project-file.js";

export interface InitOptions extends DraftOptions {
  /** Folder of the project; made when it does not exist. */
  readonly folder: string;
  readonly files: readonly SourceFile[];
  readonly choices: MaterialChoices;
}

/** A file of the project, and whether it stands under its own name or as a proposal beside an older one. */
export interface WrittenFile {
  readonly file: string;
  /** `same`: a file with these bytes was there. */
  readonly state: "written" | "same" | "proposed";
}

export interface InitializedProject {
  readonly material: SourceMaterial;
  readonly draft: DraftedProject;
  readonly files: readonly WrittenFile[];
}

/**
 * Drafts a project from a source and writes it. A file that exists with other content is never touched: the draft is
 * written beside it under its name and `.proposed`, for a person to merge.
 * @throws {SluiceError} those of `readMaterial`; FILE_EXISTS  a proposal from an earlier call waits to be merged
 */
export async function initProject(options: InitOptions): Promise<InitializedProject> {
  const material = await readMaterial(options.files, options.choices);
  const draft = draftProject(material, options);
  if (draft.labels.length === 0) {
    throw new SluiceError("DATASET_EMPTY", "the source names no workflow", {
      hint: "Label the requests, or give tool definitions.",
    });
  }
  await mkdir(options.folder, { recursive: true });
  const files = [
    [projectFileName, Buffer.from(projectYaml(projectOf(options)))],
    ["catalog.yaml", Buffer.from(catalogYaml(draft.catalog))],
    ["requests.jsonl", datasetBytes(draft.requests)],
    ...(material.leftOut.length === 0 ? [] : [["left-out.csv", leftOutCsv(material.leftOut)] as const]),
  ] as const;
  const written: WrittenFile[] = [];
  for (const [name, bytes] of files) written.push(await writeOrPropose(options.folder, name, bytes));
  return { material, draft, files: written };
}

function projectOf({ name, seed }: InitOptions): ProjectFile {
  return {
    schema_version: 1,
    name,
    catalog: "catalog.yaml",
    requests: "requests.jsonl",
    models: { retriever: shippedModels, verifier: shippedModels },
    claim: { population: "this_catalog", target: "auto", confidence: 0.95 },
    seed,
  };
}

/** A line for each row that is not used; never its text. */
function leftOutCsv(rows: readonly LeftOutRow[]): Buffer {
  const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = rows.map(({ file, at, reason }) => [file, at, reason, leftOutReasons[reason]].map(quoted).join(","));
  return Buffer.from(`${["file,place,reason,explanation", ...lines].join("\n")}\n`);
}

const fileMode = 0o644;

async function writeOrPropose(folder: string, name: string, bytes: Buffer): Promise<WrittenFile> {
  const file = join(folder, name);
  const existing = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw new SluiceError("READ_FAILED", `${file}: cannot be read (${cause.code ?? "no code"})`, { cause });
  });
  if (existing === null) {
    await writeNewFile(file, bytes, fileMode);
    return { file, state: "written" };
  }
  if (existing.equals(bytes)) return { file, state: "same" };
  const proposal = `${file}.proposed`;
  await writeNewFile(proposal, bytes, fileMode);
  return { file: proposal, state: "proposed" };
}
