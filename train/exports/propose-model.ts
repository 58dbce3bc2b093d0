import { posix } from "node:path";
import { type Activation, type Pooling, type ModelRole, modelRoles } from "../../src/documents/choices.js";
import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { defaultHead, defaultSimilarity } from "../../src/router/retrieval/load-retriever.js";
import { modelFile } from "../../src/router/retrieval/model-files.js";
import { normaliserVersion } from "../../src/router/retrieval/words.js";
import type { GraphChoice } from "./choose-graph.js";
import { deriveActivation, columnsOf, deriveOutput, lastDimension } from "./derive-output.js";
import { deriveLabelOrder } from "./derive-label-order.js";
import { deriveMaxTokens } from "./derive-max-tokens.js";
import { deriveNormalise, derivePooling } from "./derive-pooling.js";
import { derivePrefix, type PrefixKind } from "./derive-prefix.js";
import { graphPaths, exportFiles, type ModelExport } from "./model-export.js";
import { type Derived, isMissing, type Missing } from "./derived.js";

/** Values from the command line; undefined if not specified. */
export interface ModelWishes {
  readonly role?: ModelRole | undefined;
  readonly version?: string | undefined;
  readonly capability?: "development" | "production" | undefined;
  readonly output?: string | undefined;
  readonly pooling?: Pooling | undefined;
  readonly normalise?: boolean | undefined;
  readonly queryPrefix?: string | undefined;
  readonly documentPrefix?: string | undefined;
  readonly labelOrder?: readonly string[] | undefined;
  readonly activation?: Activation | undefined;
  readonly maxTokens?: number | undefined;
}

/** A complete description that has not been confirmed by a probe. */
export type ModelDraft = EncoderRetrieverModel | CrossEncoderModel;

export interface ProposedField {
  /** Field name in `router_model.json`. */
  readonly field: string;
  readonly value: unknown;
  readonly source: string;
}

export interface ModelProposal {
  readonly fields: readonly ProposedField[];
  /** Undetermined values; if there are any, no draft is made. */
  readonly missing: readonly (Missing & { readonly field: string })[];
  readonly draft: ModelDraft | null;
}

export interface ProposalInput {
  readonly model: ModelExport;
  readonly choice: GraphChoice;
  readonly facts: GraphFacts;
  /** Name of the folder, used for the proposed version if none is given. */
  readonly folder: string;
  readonly wishes: ModelWishes;
}

/** Proposes the description of an export. Each value has its source; assumed values are marked as such. */
export function proposeModel(input: ProposalInput): ModelProposal {
  const role = deriveRole(input.model, input.facts, input.wishes.role);
  if (isMissing(role)) return unsettled({ role });
  const output = deriveOutput(input.facts, role.value, input.wishes);
  if (isMissing(output)) return unsettled({ role, output });
  const common = { role, ...commonFields(input, role.value), output: { ...output, value: output.value.name } };
  return role.value === "retriever"
    ? proposeRetriever(input, output.value, common)
    : proposeVerifier(input, output.value, common);
}

type Common = ReturnType<typeof commonFields> & {
  readonly role: Derived<ModelRole>;
  readonly output: Derived<string>;
};

function commonFields({ model, choice, folder, wishes }: ProposalInput, role: ModelRole) {
  const graph = choice.graph.value;
  const bytes = modelFile(model.files, graph, "model");
  const { external_data: externalData } = graphPaths(model.files, graph);
  const version: Derived<string> =
    wishes.version === undefined
      ? {
          value: `${posix.basename(folder)}-${sha256Hex(bytes).slice(0, 8)}`,
          source: "assumed: name of the folder and the graph's SHA-256",
        }
      : { value: wishes.version, source: "--name" };
  const capability: Derived<"development" | "production"> =
    wishes.capability === undefined
      ? { value: "development", source: "assumed: production requires --capability production" }
      : { value: wishes.capability, source: "--capability" };
  return {
    version,
    capability,
    graph: choice.graph,
    external_data: { value: externalData, source: "named by the graph" },
    tokenizer: { value: exportFiles.tokenizer as string, source: "name of the file" },
    max_tokens: deriveMaxTokens(model, wishes.maxTokens, role),
  };
}

function proposeRetriever(input: ProposalInput, output: GraphPortFacts, common: Common): ModelProposal {
  const { model, wishes } = input;
  const fields = {
    ...common,
    pooling: derivePooling(model, output, wishes.pooling),
    normalise: deriveNormalise(model, wishes.normalise),
    dimensions: deriveDimensions(model, output),
    "prefix.query": derivePrefix(model, "query", wishes.queryPrefix),
    "prefix.document": derivePrefix(model, "document", wishes.documentPrefix),
  };
  return proposal(fields, (value) => ({
    schema_version: 1,
    role: "retriever",
    kind: "encoder",
    ...transformerOf(value),
    pooling: value.pooling,
    normalise: value.normalise,
    dimensions: value.dimensions,
    normaliser: normaliserVersion,
    similarity: defaultSimilarity,
    head: defaultHead,
  }));
}

function proposeVerifier(input: ProposalInput, output: GraphPortFacts, common: Common): ModelProposal {
  const { model, wishes } = input;
  const columns = columnsOf(output);
  const fields = {
    ...common,
    label_order: deriveLabelOrder(model, columns, wishes.labelOrder),
    "prefix.query": verifierPrefix("query", wishes.queryPrefix),
    "prefix.document": verifierPrefix("document", wishes.documentPrefix),
  };
  if (output.shape.length > 2) {
    const missing = `output ${output.name} has ${output.shape.length} dimensions, expected 2: one row for each pair`;
    return unsettled({ ...fields, output: { missing, flag: "--graph-output NAME" } });
  }
  return proposal(fields, (value) => ({
    schema_version: 1,
    role: "verifier",
    kind: "cross_encoder",
    ...transformerOf(value),
    label_order: [...value.label_order],
    activation: wishes.activation ?? "none",
  }));
}

/**
 * Adds the result that only a run can give: whether a verifier returns raw logits.
 * @param rows  output rows of the probe
 */
export function measuredProposal(
  proposal: ModelProposal,
  rows: readonly Float32Array[],
  { activation }: Pick<ModelWishes, "activation">,
): ModelProposal {
  if (proposal.draft?.role !== "verifier") return proposal;
  const derived = deriveActivation(rows, activation);
  if (isMissing(derived)) return { ...proposal, missing: [{ field: "activation", ...derived }], draft: null };
  const fields = [...proposal.fields, { field: "activation", ...derived }];
  return { ...proposal, fields, draft: { ...proposal.draft, activation: derived.value } };
}

/** Fields that both kinds of description share. */
function transformerOf(value: {
  readonly version: string;
  readonly capability: "development" | "production";
  readonly graph: string;
  readonly external_data: readonly string[];
  readonly tokenizer: string;
  readonly max_tokens: number;
  readonly output: string;
  readonly "prefix.query": string;
  readonly "prefix.document": string;
}) {
  const { version, capability, graph, external_data, tokenizer, max_tokens, output } = value;
  const prefix = { query: value["prefix.query"], document: value["prefix.document"] };
  return { version, capability, graph, external_data: [...external_data], tokenizer, max_tokens, output, prefix };
}

function deriveDimensions({ config }: ModelExport, output: GraphPortFacts): Derived<number> {
  const width = lastDimension(output);
  if (width !== undefined) return { value: width, source: `output ${output.name}` };
  const hidden = config?.hidden_size ?? undefined;
  if (hidden !== undefined) return { value: hidden, source: `${exportFiles.config} (hidden_size)` };
  const missing = `neither output ${output.name} nor ${exportFiles.config} specifies the length of a vector`;
  return { missing, flag: `hidden_size in ${exportFiles.config}` };
}

/** Prefix of a verifier. Cross-encoders read a plain pair, and exports contain no prefixes for them. */
function verifierPrefix(kind: PrefixKind, wanted: string | undefined): Derived<string> {
  if (wanted !== undefined) return { value: wanted, source: `--${kind}-prefix` };
  return { value: "", source: "assumed: cross-encoders read the plain texts" };
}

type DerivedFields = Readonly<Record<string, Derived<unknown>>>;
type ValuesOf<F extends DerivedFields> = { readonly [K in keyof F]: F[K] extends Derived<infer T> ? T : never };

function proposal<F extends DerivedFields>(fields: F, build: (values: ValuesOf<F>) => ModelDraft): ModelProposal {
  const open = unsettled(fields);
  if (open.missing.length > 0) return open;
  const values = Object.fromEntries(open.fields.map(({ field, value }) => [field, value])) as ValuesOf<F>;
  return { ...open, draft: build(values) };
}

function unsettled(fields: DerivedFields): ModelProposal {
  const entries = Object.entries(fields);
  return {
    fields: entries.flatMap(([field, derived]) => (isMissing(derived) ? [] : [{ field, ...derived }])),
    missing: entries.flatMap(([field, derived]) => (isMissing(derived) ? [{ field, ...derived }] : [])),
    draft: null,
  };
}

const embeddingOutputs = ["sentence_embedding", "last_hidden_state", "token_embeddings"];

/** Role of an export: from the flag, otherwise from its files and its graph, which must agree. */
export function deriveRole(model: ModelExport, facts: GraphFacts, wanted: ModelRole | undefined): Derived<ModelRole> {
  if (wanted !== undefined) return { value: wanted, source: "--role" };
  const retriever = retrieverSigns(model, facts.outputs);
  const verifier = verifierSigns(model, facts.outputs);
  if (retriever.length > 0 && verifier.length === 0) return { value: "retriever", source: retriever.join(" and ") };
  if (verifier.length > 0 && retriever.length === 0) return { value: "verifier", source: verifier.join(" and ") };
  const outputs = facts.outputs.map(({ name }) => name).join(", ");
  const missing =
    retriever.length === 0
      ? `no file says what the model is for, and neither do its outputs (${outputs})`
      : `${retriever.join(" and ")} of a retriever, but ${verifier.join(" and ")} of a verifier`;
  return { missing, flag: `--role ${modelRoles.join("|")}` };
}

function retrieverSigns(model: ModelExport, outputs: readonly GraphPortFacts[]): readonly string[] {
  const output = outputs.find(({ name }) => embeddingOutputs.includes(name));
  return [
    ...(model.modules === undefined ? [] : [exportFiles.modules]),
    ...(output === undefined ? [] : [`output ${output.name}`]),
  ];
}

function verifierSigns(model: ModelExport, outputs: readonly GraphPortFacts[]): readonly string[] {
  const architecture = model.config?.architectures?.find((name) => name.endsWith("ForSequenceClassification"));
  const logits = outputs.some(({ name, shape }) => name === "logits" && (shape.length === 1 || shape.length === 2));
  return [
    ...(architecture === undefined ? [] : [`${exportFiles.config} (${architecture})`]),
    ...(logits ? ["output logits"] : []),
  ];
}
