import type { Workflow } from "../../documents/catalog.js";
import type { CrossEncoderModel } from "../../documents/model.js";
import type { RunScope } from "../../documents/run-scope.js";
import type { LoadedModel, ModelHost } from "../../inference/models/local-models.js";
import type { TransformerFiles } from "../../inference/protocol.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { contractText } from "../../documents/workflow-text/contract-text.js";
import { type LabelMapping, labelMapping } from "./label-mapping.js";
import { readLogits } from "./read-logits.js";
import type { Verification, Verifier } from "./verifier.js";

export interface CrossEncoderSource {
  readonly model: CrossEncoderModel;
  readonly files: TransformerFiles;
}

/** A verifier whose transformer reads the request and a contract together. */
export class CrossEncoderVerifier implements Verifier {
  readonly version: string;
  readonly capability: CrossEncoderModel["capability"];
  readonly labelOrder: CrossEncoderModel["label_order"];
  private readonly queryPrefix: string;
  private readonly mapping: LabelMapping;
  private readonly scorer: LoadedModel;

  private constructor(model: CrossEncoderModel, scorer: LoadedModel) {
    this.version = model.version;
    this.capability = model.capability;
    this.labelOrder = model.label_order;
    this.queryPrefix = model.prefix.query;
    this.mapping = labelMapping(model.label_order, model.activation);
    this.scorer = scorer;
  }

  /** @param workflows in the order of the retriever's rankings @throws {SluiceError} MODEL_INVALID */
  static async create(
    { model, files }: CrossEncoderSource,
    workflows: readonly Workflow[],
    pool: ModelHost,
  ): Promise<CrossEncoderVerifier> {
    const documents = workflows.map((workflow) => model.prefix.document + contractText(workflow).text);
    return new CrossEncoderVerifier(model, await pool.load({ kind: "pair_scorer", ...files, documents }));
  }

  async verify(text: string, _: IndexedRanking, positions: readonly number[], scope: RunScope): Promise<Verification> {
    const pairs = { kind: "pairs", text: this.queryPrefix + text, documents: positions } as const;
    return { ...readLogits(await this.scorer.run(pairs, scope), this.mapping), features: null, patterns: null };
  }
}
