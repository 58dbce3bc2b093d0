import { formatSeconds } from "../../../src/domain/number-text.js";
import { basename } from "node:path";
import type { Catalog } from "../../../src/domain/catalog.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { ValuesOf } from "../../options.js";
import { readInput } from "../../../workbench/read-input.js";
import { catalogOf, withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { Stage } from "../../../workbench/records/stage.js";
import { type FitSource, importedSource, splitSource } from "../../../workbench/learning/word-models/fit-sources.js";
import { type FittedWordModels, fitWordModelsStage } from "../../../workbench/learning/word-models/fit-word-models.js";
import { type OpenDataArguments, readOpenData } from "../../../workbench/learning/word-models/open-data.js";
import { fields } from "../../table.js";
import { readSource } from "../../../workbench/data/read-source.js";
import type { WorkOf } from "../../command.js";
import type { modelFitShape } from "../../shapes/model.js";
import { readSynsets, wordnetLicence } from "../../../datasets/importers/open-english-wordnet.js";
import { sha256Hex } from "../../../src/digest/sha256.js";

export const modelFit: WorkOf<typeof modelFitShape> = (context, args) =>
  withHistory(context, "write", async (stage) => {
    const sources = await sourcesOf(stage, args);
    if (sources.length === 0) {
      throw new SluiceError("USAGE", "no labelled requests given, expected --data or --split", {
        hint: "For example: --data jsonl:requests.jsonl --catalog catalog.yaml",
      });
    }
    const fitted = await fitWordModelsStage(stage, {
      sources,
      openData: await readOpenData({
        texts: args.openText,
        pairs: args.pairs,
        without: args.without,
        licences: args.licences,
        lexicon: await lexiconOf(args.lexicon),
      }),
      splitId: args.split,
      steps: args.steps,
      seed: args.seed,
      directory: args.out,
      note: context.note,
    });
    return commandResult({
      schema: "model-fit@1",
      result: {
        retriever: fitted.retriever,
        verifier: fitted.verifier,
        directory: args.out,
        card: fitted.card,
        milliseconds: fitted.milliseconds,
      },
      lines: fittedLines(fitted, args.out),
      next: [context.nextLine("eval", "run")],
    });
  });

async function sourcesOf(
  { history }: Stage,
  args: ValuesOf<(typeof modelFitShape)["options"]>,
): Promise<readonly FitSource[]> {
  const catalogs: Catalog[] = [];
  for (const named of args.catalog) catalogs.push((await catalogOf(history, named)).document);
  const sources: FitSource[] = [];
  for (const { format, path: file } of args.data) {
    const plain = { mapped: false, delimiter: ",", language: "en", table: { mapping: { columns: {} } } };
    sources.push(importedSource(nameOf(format, sources), await readSource(file, format, plain), catalogs));
  }
  return args.split === undefined ? sources : [...sources, splitSource(history, args.split)];
}

/** The format, with a number where it was there before. */
function nameOf(format: string, sources: readonly FitSource[]): string {
  const before = sources.filter(({ card }) => card.name.replace(/-\d+$/, "") === format).length;
  return before === 0 ? format : `${format}-${before + 1}`;
}

async function lexiconOf(file: string | undefined): Promise<OpenDataArguments["lexicon"]> {
  if (file === undefined) return null;
  const bytes = await readInput(file);
  const synsets = readSynsets({ file, bytes });
  const files = [{ file: basename(file), sha256: sha256Hex(bytes), licence: wordnetLicence }];
  return { synsets, card: { name: "wordnet", files, requests: 0, workflows: synsets.length } };
}

function fittedLines({ retriever, verifier, card, milliseconds }: FittedWordModels, directory: string) {
  return fields([
    ["retriever", `${shortId(retriever)}  vectors of ${card.words} words, loss ${card.loss}`],
    ["verifier", `${shortId(verifier)}  ${card.verifier.pairs} pairs, loss ${card.verifier.loss}`],
    ...card.held_out.folds.map(({ requests, recall_at_1, recall_at_5 }, fold): [string, string] => {
      return [`fold ${fold + 1}`, `recall at 1 ${recall_at_1}/${requests}, at 5 ${recall_at_5}/${requests}`];
    }),
    ["folder", directory],
    ["time", formatSeconds(milliseconds)],
  ]);
}
