import type { ModelRole } from "../../src/documents/choices.js";
import { exportFiles, type ModelExport } from "./model-export.js";
import { type Derived, refused } from "./derived.js";

/** Maximum value in a model description. */
const largest = 32_768;

/**
 * Architectures whose positions start after the id of the padding token, as in the transformers library: a table of 514
 * positions with padding token 1 fits 512 tokens.
 */
const offsetPositions = new Set([
  "camembert",
  "data2vec-text",
  "ibert",
  "longformer",
  "luke",
  "mpnet",
  "roberta",
  "roberta-prelayernorm",
  "xlm-roberta",
  "xlm-roberta-xl",
  "xmod",
]);

interface Limit {
  readonly tokens: number;
  readonly source: string;
}

/** Maximum number of tokens of the position embeddings; undefined if the export has none. */
export function positionLimit({ config }: ModelExport): Limit | undefined {
  const positions = config?.max_position_embeddings ?? undefined;
  if (positions === undefined || positions <= 0) return undefined;
  if (!offsetPositions.has(config?.model_type ?? "")) {
    return { tokens: positions, source: `${exportFiles.config} (max_position_embeddings)` };
  }
  const offset = (config?.pad_token_id ?? 1) + 1;
  const source = `${exportFiles.config} (max_position_embeddings ${positions} less ${offset} of ${config?.model_type})`;
  return { tokens: positions - offset, source };
}

/**
 * Maximum number of tokens of one row: the smallest limit in the export, which the flag can only lower. Sentence
 * encoders have their own limit in a file that exporters often omit; without it, a value is assumed that does not
 * exceed the tokenizer's truncation.
 */
export function deriveMaxTokens(model: ModelExport, wanted: number | undefined, role?: ModelRole): Derived<number> {
  const limit = smallest(limitsOf(model));
  if (limit === undefined && wanted === undefined) {
    return { missing: "no file of the export names a limit of tokens", flag: "--max-tokens COUNT" };
  }
  const most = Math.min(limit?.tokens ?? largest, largest);
  if (wanted === undefined) return role === "retriever" ? sentenceLimit(model, most, limit) : stated(most, limit);
  if (wanted <= most && wanted >= 8) return { value: wanted, source: "--max-tokens" };
  const bound = limit === undefined || limit.tokens > largest ? `${largest}` : `${most} of ${limit.source}`;
  return refused(`--max-tokens ${wanted}`, `8 to ${bound}`);
}

const stated = (tokens: number, limit: Limit | undefined): Derived<number> => ({
  value: tokens,
  source: limit?.source ?? "",
});

function sentenceLimit(model: ModelExport, most: number, limit: Limit | undefined): Derived<number> {
  if ((model.sentenceBert?.max_seq_length ?? undefined) !== undefined) return stated(most, limit);
  const cut = model.tokenizer.truncation?.max_length ?? most;
  const source = cut < most ? `${exportFiles.tokenizer} (truncation)` : (limit?.source ?? "");
  return {
    value: Math.min(most, cut),
    source: `assumed: ${source}; ${exportFiles.sentenceBert}, which may state less, is missing`,
  };
}

/** Limits in the files. The truncation in `tokenizer.json` is ignored, because it depends on the last export run. */
function limitsOf(model: ModelExport): readonly Limit[] {
  const tokenizer = model.tokenizerConfig?.model_max_length ?? undefined;
  const sentences = model.sentenceBert?.max_seq_length ?? undefined;
  const positions = positionLimit(model);
  return [
    ...(sentences === undefined ? [] : [{ tokens: sentences, source: `${exportFiles.sentenceBert} (max_seq_length)` }]),
    // Tokenizers without a limit have a number such as 1e30 here.
    ...(tokenizer === undefined || tokenizer > 1e9
      ? []
      : [{ tokens: tokenizer, source: `${exportFiles.tokenizerConfig} (model_max_length)` }]),
    ...(positions === undefined ? [] : [positions]),
  ].filter(({ tokens }) => tokens > 0);
}

const smallest = (limits: readonly Limit[]): Limit | undefined =>
  limits.reduce<Limit | undefined>(
    (least, limit) => (least !== undefined && least.tokens <= limit.tokens ? least : limit),
    undefined,
  );
