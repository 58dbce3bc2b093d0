import { basename, resolve } from "node:path";
import { type DirectoryContent, dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import type { FileEntry } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { type GraphFacts, inspectGraph } from "../../src/inference/inspect-graph.js";
import { InferencePool } from "../../src/inference/pool.js";
import { chooseGraph, type GraphChoice } from "../../train/exports/choose-graph.js";
import { graphFiles } from "../../train/exports/external-data.js";
import { readExport } from "../../train/exports/model-export.js";
import { type Probe, probeModel } from "../../train/exports/probe-model.js";
import {
  measuredProposal,
  type ModelDraft,
  type ModelProposal,
  type ModelWishes,
  proposeModel,
} from "../../train/exports/propose-model.js";
import { type RunTiming, timeModel } from "../../train/exports/time-model.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { stepOf } from "../../store/step-progress.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

export interface DescribeModelOptions {
  readonly folder: string;
  /** Path inside the folder; undefined for the order of preference. */
  readonly graph: string | undefined;
  readonly wishes: ModelWishes;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Measurements from runs of the model. */
export interface MeasuredModel {
  readonly timings: readonly RunTiming[];
}

export interface DescribedModel {
  readonly entries: readonly FileEntry[];
  readonly choice: GraphChoice;
  readonly facts: GraphFacts;
  readonly proposal: ModelProposal;
  /** null while a value is missing. */
  readonly settled: SettledModel | null;
}

export interface SettledModel {
  readonly measured: MeasuredModel;
  readonly document: EncoderRetrieverModel | CrossEncoderModel;
  /** Canonical JSON of the document. */
  readonly bytes: Buffer;
  /** Of the folder with this description. */
  readonly dirHash1: string;
}

/** Reads an export, proposes its description and measures the model that it describes. Writes nothing. */
export async function describeModel(
  context: Pick<WorkbenchContext, "signal" | "progress">,
  { folder, graph, wishes, now }: DescribeModelOptions,
): Promise<DescribedModel> {
  const content = await readDirectory(folder);
  const model = readExport(content.files);
  const choice = chooseGraph(content.files, graph);
  const facts = await inspectGraph(graphFiles(content.files, choice.graph.value));
  const proposal = proposeModel({ model, choice, facts, folder: basename(resolve(folder)), wishes });
  const described = { entries: content.entries, choice, facts };
  if (proposal.draft === null) return { ...described, proposal, settled: null };
  const { timings, rows } = await measure(proposal.draft, content.files, now, context);
  const confirmed = measuredProposal(proposal, rows, wishes);
  const document = confirmed.draft;
  if (document === null) return { ...described, proposal: confirmed, settled: null };
  const bytes = canonicalBytes(document);
  const settled = { measured: { timings }, document, bytes, dirHash1: digestWith(content, bytes) };
  return { ...described, proposal: confirmed, settled };
}

async function measure(
  draft: ModelDraft,
  files: ModelFiles,
  now: () => number,
  { signal, progress }: Pick<WorkbenchContext, "signal" | "progress">,
): Promise<MeasuredModel & Pick<Probe, "rows">> {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const probe = await probeModel(pool, files, draft, { signal, onRun: stepOf(progress, "probe") });
    requireColumns(probe, draft);
    return { timings: await timeModel(probe, now, signal), rows: probe.rows };
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
