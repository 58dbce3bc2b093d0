import { canonicalBytes } from "../../src/base/canonical-json.js";
import { unbounded } from "../../src/documents/run-scope.js";
import type { ModelHost } from "../../src/inference/model-host.js";
import { InferencePool } from "../../src/inference/pool.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import type { EncodedText } from "../../src/documents/text-scores.js";
import { loadTextEncoder, type TextEncoder } from "../../src/router/retrieval/text-encoder.js";
import { type FitRetriever, fitVerifier, type VerifierSource } from "../../train/fit-verifier.js";
import { saveModel } from "../../store/records/save-model.js";
import type { Session } from "../../store/records/session.js";
import { splitSource } from "./fit-sources.js";
import { dirname } from "node:path";
import { writeFolder } from "../../release/bundle-files/write-folder.js";
import { makeFolders } from "../../store/make-folders.js";

export interface FitModelsOptions {
  /** Files of the retriever whose candidates the verifier will score. */
  readonly retriever: ModelFiles;
  readonly sources: readonly VerifierSource[];
  /** Number of catalogs drawn from the sources; 0: the unchanged catalog of the only source. */
  readonly catalogs: number;
  /** Texts without a workflow. */
  readonly background: readonly string[];
  readonly seed: number;
  /** Folder for `retriever/` and `verifier/`. */
  readonly directory: string;
}

export interface FittedModels {
  readonly retriever: string;
  readonly verifier: string;
  readonly fit_requests: number;
  readonly pairs: number;
  readonly loss: number;
  readonly milliseconds: number;
}

/** Fits a verifier for a retriever, writes both directories atomically, and saves them in the history. */
export async function fitModels(session: Session, options: FitModelsOptions): Promise<FittedModels> {
  const { clock, progress, signal } = session.context;
  const started = clock();
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  let label = "";
  try {
    const verifier = await fitVerifier({
      ...options,
      retriever: await fitRetriever(options.retriever, pool),
      signal,
      onProgress: (step, done, total) => {
        if (step !== label) progress.start(step === "catalogs" ? "features" : "fitting", total);
        label = step;
        progress.update(done);
      },
    });
    progress.done();
    const models = { retriever: options.retriever, verifier: verifier.files };
    await writeModelFolders(options.directory, models);
    return {
      retriever: saveModel(session, "retriever", models.retriever),
      verifier: saveModel(session, "verifier", models.verifier),
      fit_requests: options.sources.reduce((sum, { requests }) => sum + requests.length, 0),
      pairs: verifier.pairs,
      loss: verifier.loss,
      milliseconds: clock() - started,
    };
  } finally {
    await pool.close();
  }
}

/** Fits the lexical models on the FIT fold of a split. @param splitId  default: the latest split */
export function fitLexicalModels(
  session: Session,
  { splitId, seed, directory }: Pick<FitModelsOptions, "seed" | "directory"> & { readonly splitId: string | undefined },
): Promise<FittedModels> {
  return fitModels(session, {
    retriever: new Map([[modelFileName, canonicalBytes(lexicalRetrieverModel)]]),
    sources: [splitSource(session.history, splitId)],
    catalogs: 0,
    background: [],
    seed,
    directory,
  });
}

/** Loads a retriever in the calling thread; its encoder runs in the pool. */
async function fitRetriever(files: ModelFiles, pool: ModelHost): Promise<FitRetriever> {
  const model = parseRetrieverModel(files);
  const encoder = await loadTextEncoder(files, model, pool);
  return { model, encoder: encoder === null ? null : new RememberingEncoder(encoder) };
}

/** Encodes each distinct text once, because drawn catalogs repeat texts. */
class RememberingEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly words: readonly string[];
  private readonly encoder: TextEncoder;
  private readonly known = new Map<string, EncodedText>();

  constructor(encoder: TextEncoder) {
    this.encoder = encoder;
    this.dimensions = encoder.dimensions;
    this.words = encoder.words;
  }

  async encode(text: string): Promise<EncodedText> {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const encoded = await this.encoder.encode(text, unbounded);
    this.known.set(text, encoded);
    return encoded;
  }
}

/**
 * Writes `retriever/`, `verifier/` and other files into a folder, which is replaced atomically.
 * @throws {SluiceError} WRITE_FAILED
 */
async function writeModelFolders(
  directory: string,
  models: { readonly retriever: ModelFiles; readonly verifier: ModelFiles },
  others: ModelFiles = new Map(),
): Promise<void> {
  const inFolder = (folder: string, files: ModelFiles) =>
    [...files].map(([path, bytes]) => [`${folder}${path}`, bytes] as const);
  const all = [...inFolder("retriever/", models.retriever), ...inFolder("verifier/", models.verifier), ...others];
  await makeFolders(dirname(directory));
  await writeFolder({ directory, files: new Map(all), replace: true });
}
