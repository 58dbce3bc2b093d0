import {
  fitModels,
  type FittedModels,
  namedSources,
  readBackgroundTexts,
  retrieverToFitFor,
} from "./models/fit-models.js";
import { withHistory } from "../store/records/session.js";

export { portText } from "../train/exports/derive-output.js";
export { missingText } from "../train/exports/derived.js";
import { basename, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type DirectoryContent, dirHash1, readDirectory } from "../src/trust/directory-hash.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { FileEntry } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import { type GraphFacts, inspectGraph } from "../src/inference/inspect-graph.js";
import { InferencePool } from "../src/inference/pool.js";
import { chooseGraph } from "../train/exports/choose-graph.js";
import { graphFiles } from "../train/exports/model-export.js";
import { readExport } from "../train/exports/model-export.js";
import { type Probe, probeModel } from "../train/exports/probe-model.js";
import {
  measuredProposal,
  type ModelDraft,
  type ModelProposal,
  type ModelWishes,
  proposeModel,
} from "../train/exports/propose-model.js";
import { modelFileName, type ModelFiles } from "../src/router/retrieval/model-files.js";
import { stepOf } from "../store/step-progress.js";
import type { ValuesOf } from "../src/base/options.js";
import type { describeModelOptions, fitModelOptions } from "./options/model.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { replaceFile, writeNewFile } from "../src/base/files.js";

export interface DescribedModel extends Pick<ModelProposal, "fields" | "missing"> {
  readonly folder: string;
  /** Whether the description was written; false if it already existed with the same content. */
  readonly written: boolean;
  /** Fields of an existing description that say otherwise. */
  readonly differs: readonly string[];
  readonly files: readonly FileEntry[];
  readonly graph: string;
  /** Where the choice of the graph comes from. */
  readonly graph_source: string;
  readonly other_graphs: readonly string[];
  readonly inputs: GraphFacts["inputs"];
  readonly outputs: GraphFacts["outputs"];
  /** null if a value is missing. */
  readonly document: ModelDraft | null;
  /** Directory digest of the folder with this description; null if a value is missing. */
  readonly dir_hash1: string | null;
}

/**
 * Reads an export, proposes its description and runs the described model once.
 * @throws {SluiceError} MODEL_INVALID, FILE_NOT_FOUND; FILE_EXISTS  a different description exists; READ_FAILED,
 *   WRITE_FAILED
 */
export async function describeModel(
  context: Pick<WorkbenchContext, "signal" | "progress">,
  { folder, write, force, graph, graphOutput, name, normalise, ...named }: ValuesOf<typeof describeModelOptions>,
): Promise<DescribedModel> {
  const scaled = normalise === undefined ? undefined : normalise === "true";
  const wishes: ModelWishes = { ...named, output: graphOutput, version: name, normalise: scaled };
  const content = await readDirectory(folder);
  const model = readExport(content.files);
  const choice = chooseGraph(content.files, graph);
  const facts = await inspectGraph(graphFiles(content.files, choice.graph.value));
  const proposal = proposeModel({ model, choice, facts, folder: basename(resolve(folder)), wishes });
  const { inputs, outputs } = facts;
  const { value, source } = choice.graph;
  const graphs = { graph: value, graph_source: source, other_graphs: choice.others, inputs, outputs };
  const found = { folder, written: false, differs: [], files: content.entries, ...graphs };
  const open = { fields: proposal.fields, missing: proposal.missing, document: null, dir_hash1: null };
  const described = { ...found, ...open };
  if (proposal.draft === null) return described;
  const rows = await probeRows(proposal.draft, content.files, context);
  const { draft: document, fields, missing } = measuredProposal(proposal, rows, wishes);
  if (document === null) return { ...described, fields, missing };
  const bytes = canonicalBytes(document);
  const present = content.files.get(modelFileName);
  const differs = present === undefined ? [] : differingFields(present, document);
  const written = write && (await writeDescription({ folder, force }, bytes, present, differs));
  const settled = { document, dir_hash1: digestWith(content, bytes), written, differs: written ? [] : differs };
  return { ...described, fields, missing, ...settled };
}

async function probeRows(
  draft: ModelDraft,
  files: ModelFiles,
  { signal, progress }: Pick<WorkbenchContext, "signal" | "progress">,
): Promise<Probe["rows"]> {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const probe = await probeModel(pool, files, draft, { signal, onRun: stepOf(progress, "probe") });
    requireColumns(probe, draft);
    return probe.rows;
  } finally {
    await pool.close();
  }
}

function requireColumns({ columns }: Probe, draft: ModelDraft): void {
  const expected = draft.role === "retriever" ? draft.dimensions : draft.label_order.length;
  if (columns === expected) return;
  throw new SluiceError("MODEL_INVALID", `the model returns ${columns} numbers per row, expected ${expected}`, {
    hint: "Correct hidden_size or id2label in config.json, or choose another output with --graph-output.",
  });
}

function digestWith(content: DirectoryContent, description: Buffer): string {
  const entry = { path: modelFileName, size: description.length, sha256: sha256Hex(description) };
  return dirHash1([...content.entries.filter(({ path }) => path !== modelFileName), entry]);
}

const fileMode = 0o644;

/**
 * Writes `router_model.json`; an existing description with different content is replaced only with `force`.
 * @returns  false if it already existed with the same content
 */
async function writeDescription(
  { folder, force }: Pick<ValuesOf<typeof describeModelOptions>, "folder" | "force">,
  bytes: Buffer,
  present: Buffer | undefined,
  differs: readonly string[],
): Promise<boolean> {
  const file = join(folder, modelFileName);
  if (present?.equals(bytes) === true) return false;
  if (present === undefined) {
    await writeNewFile(file, bytes, fileMode);
    return true;
  }
  if (!force) {
    throw new SluiceError("FILE_EXISTS", `${file}: differs (${differs.join(", ")}) and was not overwritten`, {
      hint: "Replace it with --force, or give its values as options.",
    });
  }
  await replaceFile(file, bytes, fileMode);
  return true;
}

/** Names of the fields in which a description differs from a document. */
function differingFields(description: Buffer, document: ModelDraft): readonly string[] {
  let present: Readonly<Record<string, unknown>>;
  try {
    present = JSON.parse(description.toString("utf8")) as Readonly<Record<string, unknown>>;
  } catch {
    return ["not well-formed JSON"];
  }
  const wanted: Readonly<Record<string, unknown>> = { ...document };
  const fields = [...new Set([...Object.keys(wanted), ...Object.keys(present)])];
  return fields.filter((field) => !isDeepStrictEqual(present[field], wanted[field])).sort();
}

/**
 * Fits a verifier on labelled requests of one or more catalogs, and saves it with its retriever.
 * @throws {SluiceError} USAGE  no data is given; DOCUMENT_INVALID, SPLIT_TOO_SMALL, MODEL_INVALID, WRITE_FAILED,
 *   INTERRUPTED
 */
export async function fitModel(
  workbench: WorkbenchContext,
  options: ValuesOf<typeof fitModelOptions>,
): Promise<FittedModels> {
  return withHistory(workbench, "write", async (session) =>
    fitModels(session, {
      retriever: await retrieverToFitFor(session, options.retriever),
      sources: await namedSources(session.history, options),
      catalogs: options.catalogs,
      background: await readBackgroundTexts(options.unrelated),
      seed: options.seed,
      directory: options.out,
    }),
  );
}
