import { formatTenthsPercent } from "../../../src/domain/number-text.js";
import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import { toSnake } from "../../../src/domain/camel.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import type { RecallCounts } from "../../fit/words/held-out-recall.js";
import type { VectorSettings } from "../../fit/words/vector-settings.js";
import type { FoldFigures, WordModels } from "../../fit/verification/fit-word-models.js";
import type { SourceCard } from "./fit-sources.js";
import type { ReadOpenData } from "./open-data.js";

export interface CardInput {
  readonly sources: readonly SourceCard[];
  /** Files of texts; nothing near them was learned. */
  readonly without: ReadOpenData["without"];
  readonly settings: VectorSettings;
  readonly seed: number;
  readonly models: WordModels;
  /** Recall of the written retriever on the TUNE fold of the split, whose workflows it was not fitted on; null without. */
  readonly tune: RecallCounts | null;
}

/** The model card as stored: data with digests and licences, settings, figures, digests of the model's files. */
export function modelCard({ sources, without, settings, seed, models, tune }: CardInput) {
  const folder = (role: string, files: ModelFiles) =>
    [...files].map(([path, bytes]) => ({ path: `${role}/${path}`, bytes: bytes.length, sha256: sha256Hex(bytes) }));
  return {
    schema_version: 1,
    data: sources,
    ...(without.length === 0 ? {} : { without }),
    settings: toSnake<Readonly<Record<string, unknown>>>({ ...settings }),
    seed,
    words: models.words,
    loss: rounded(models.loss),
    verifier: { pairs: models.verifierPairs, loss: rounded(models.verifierLoss) },
    held_out: {
      folds: models.folds.map(({ loss, recall }: FoldFigures) => ({ loss: rounded(loss), ...counts(recall) })),
      tune: tune === null ? null : counts(tune),
    },
    files: [...folder("retriever", models.retriever), ...folder("verifier", models.verifier)],
  };
}

export type ModelCard = ReturnType<typeof modelCard>;

/** `model_card.json` and `MODEL_CARD.md`. */
export function cardFiles(card: ModelCard): ModelFiles {
  return new Map([
    ["model_card.json", canonicalBytes(card)],
    ["MODEL_CARD.md", Buffer.from(cardPage(card), "utf8")],
  ]);
}

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

const counts = ({ requests, workflows, at1, at5, at10 }: RecallCounts) => {
  return { requests, workflows, recall_at_1: at1, recall_at_5: at5, recall_at_10: at10 };
};

type Counts = ReturnType<typeof counts>;

function cardPage(card: ModelCard): string {
  const files = card.data.flatMap(({ name, files: own, requests, workflows }) =>
    own.map(({ file, sha256, licence }) => [
      name,
      `${requests}`,
      `${workflows}`,
      file,
      sha256,
      licence ?? "not stated",
    ]),
  );
  const figures = card.held_out.folds.map((fold, index) => figureRow(`that fold ${index + 1} held out`, fold));
  const tune = card.held_out.tune;
  const last =
    tune === null
      ? []
      : [figureRow("of the TUNE fold of the split, among its whole catalog, by the shipped weights", tune)];
  return [
    "# Model card",
    "",
    `A retriever with learned vectors of ${card.words} words and a verifier, fitted by \`sluice model fit\` with seed ${card.seed}.`,
    "",
    "## Data",
    "Only training parts were read; rows and workflows count what was used.",
    "",
    ...table(["Source", "Rows", "Workflows or synsets", "File", "SHA-256", "Licence"], files),
    "",
    ...withoutLines(card.without ?? []),
    "## Figures on workflows that the weights were not fitted on",
    "Each fold was fitted without the other half of the workflows; a workflow stands in the index with its name and ten requests. The shipped weights are fitted on all of them.",
    "",
    ...table(["Workflows", "Requests", "Recall at 1", "at 5", "at 10"], [...figures, ...last]),
    "",
    "## Fit",
    `Loss of the word vectors ${card.loss}, of the folds ${card.held_out.folds.map(({ loss }) => loss).join(" and ")} nats per pair; of the verifier ${card.verifier.loss} over ${card.verifier.pairs} pairs. Settings: \`model_card.json\`.`,
    "",
    "## Files",
    ...table(
      ["File", "Bytes", "SHA-256"],
      card.files.map(({ path, bytes, sha256 }) => [path, `${bytes}`, sha256]),
    ),
    "",
  ].join("\n");
}

function withoutLines(without: ReadOpenData["without"]): readonly string[] {
  if (without.length === 0) return [];
  const files = without.map(({ file, sha256, texts }) => [file, `${texts}`, sha256]);
  return [
    "Nothing was learned from a text that equals one of these files' texts, or differs from it by one word:",
    "",
    ...table(["File", "Texts", "SHA-256"], files),
    "",
  ];
}

function figureRow(what: string, { requests, workflows, ...recall }: Counts): readonly string[] {
  const share = (k: number): string => `${k} / ${requests} = ${formatTenthsPercent(k / requests)}`;
  const recalls = [recall.recall_at_1, recall.recall_at_5, recall.recall_at_10];
  return [`${workflows} ${what}`, `${requests}`, ...recalls.map(share)];
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => [
  `| ${heads.join(" | ")} |`,
  `|${heads.map(() => "---").join("|")}|`,
  ...rows.map((cells) => `| ${cells.join(" | ")} |`),
];
