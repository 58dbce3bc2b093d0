/** The floor: the runs of ONNX Runtime that a set of requests needs, and nothing else. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { cutIntoRuns } from "../../src/inference/models/row-runs.js";
import type { TokenRow } from "../../src/inference/tokenizer/row-template.js";
import type { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { padRows, type TokenBatch } from "../../src/inference/tokenizer/token-batch.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";
import { maxTokens } from "./checkpoints.js";

/** Inputs of every run that some requests need. */
export interface FloorRuns {
  readonly texts: readonly TokenBatch[];
  readonly pairs: readonly TokenBatch[];
}

/** What the thread of the floor is told: open these graphs, keep these inputs, run the inputs kept last, or end. */
export type FloorMessage =
  | { readonly kind: "open"; readonly encoder: Uint8Array; readonly scorer: Uint8Array }
  | { readonly kind: "keep"; readonly runs: FloorRuns }
  | { readonly kind: "run" | "close" };

/** One request: its text and the documents it is paired with. */
export interface FloorRequest {
  readonly text: string;
  readonly documents: readonly string[];
}

const runsOf = (rows: readonly TokenRow[], padId: number): readonly TokenBatch[] =>
  cutIntoRuns(rows, ({ ids }) => ids.length).map((together) => padRows(together, padId));

/** Runs of these requests, their rows put together as if they were one. */
export function joinedRuns(requests: readonly FloorRequest[], tokenizer: TextTokenizer): FloorRuns {
  const texts = requests.map(({ text }) => tokenizer.encodeText(text, maxTokens));
  const pairs = requests.flatMap(({ text, documents }) =>
    documents.map((document) => tokenizer.encodePair(tokenizer.segment(text), tokenizer.segment(document), maxTokens)),
  );
  return { texts: runsOf(texts, tokenizer.padId), pairs: runsOf(pairs, tokenizer.padId) };
}

/** Runs of these requests, each on its own. */
export function separateRuns(requests: readonly FloorRequest[], tokenizer: TextTokenizer): FloorRuns {
  const each = requests.map((request) => joinedRuns([request], tokenizer));
  return { texts: each.flatMap(({ texts }) => texts), pairs: each.flatMap(({ pairs }) => pairs) };
}

/** Both graphs in a thread of their own, as an event loop that stays free needs them. */
export class RawModels {
  private readonly worker = new Worker(new URL("./floor.worker.js", import.meta.url));
  private kept: FloorRuns | null = null;

  static async open(encoder: ModelFiles, scorer: ModelFiles): Promise<RawModels> {
    const graphOf = (files: ModelFiles): Uint8Array => files.get("onnx/model.onnx") ?? new Uint8Array();
    const models = new RawModels();
    await models.tell({ kind: "open", encoder: graphOf(encoder), scorer: graphOf(scorer) });
    return models;
  }

  /** Milliseconds of these runs, measured in their thread. */
  async run(runs: FloorRuns): Promise<number> {
    if (this.kept !== runs) await this.tell({ kind: "keep", runs });
    this.kept = runs;
    return this.tell({ kind: "run" });
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.worker.postMessage({ kind: "close" } satisfies FloorMessage);
    await once(this.worker, "exit");
  }

  private async tell(message: FloorMessage): Promise<number> {
    this.worker.postMessage(message);
    const [milliseconds] = await once(this.worker, "message");
    return Number(milliseconds);
  }
}
