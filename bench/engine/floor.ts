/** The floor: the runs of ONNX Runtime that a set of requests needs, and nothing else. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { cutIntoRuns } from "../../src/inference/models/row-runs.js";
import type { TokenRow } from "../../src/inference/tokenizer/row-template.js";
import type { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { padRows } from "../../src/inference/tokenizer/token-batch.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";
import { maxTokens } from "./checkpoints.js";

type Feed = Readonly<Record<string, Tensor>>;

/** Inputs of every run that some requests need. */
export interface FloorRuns {
  readonly texts: readonly Feed[];
  readonly pairs: readonly Feed[];
}

/** One request: its text and the documents it is paired with. */
export interface FloorRequest {
  readonly text: string;
  readonly documents: readonly string[];
}

function feedOf(rows: readonly TokenRow[], padId: number): Feed {
  const batch = padRows(rows, padId);
  const shape = [batch.rows, batch.tokens];
  return {
    input_ids: new Tensor("int64", batch.inputIds, shape),
    attention_mask: new Tensor("int64", batch.attentionMask, shape),
    token_type_ids: new Tensor("int64", batch.tokenTypeIds, shape),
  };
}

const runsOf = (rows: readonly TokenRow[], padId: number): readonly Feed[] =>
  cutIntoRuns(rows, ({ ids }) => ids.length).map((together) => feedOf(together, padId));

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

/** Both graphs in the calling thread. */
export class RawModels {
  private readonly encoder: InferenceSession;
  private readonly scorer: InferenceSession;

  private constructor(encoder: InferenceSession, scorer: InferenceSession) {
    this.encoder = encoder;
    this.scorer = scorer;
  }

  static async open(encoder: ModelFiles, scorer: ModelFiles): Promise<RawModels> {
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" } as const;
    const open = (files: ModelFiles) =>
      InferenceSession.create(files.get("onnx/model.onnx") ?? new Uint8Array(), options);
    return new RawModels(await open(encoder), await open(scorer));
  }

  async run({ texts, pairs }: FloorRuns): Promise<void> {
    for (const feed of texts) await this.encoder.run(feed);
    for (const feed of pairs) await this.scorer.run(feed);
  }
}
