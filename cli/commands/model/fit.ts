import { formatSeconds } from "../../../src/domain/number-text.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { namedLexicon, namedSources } from "../../../workbench/learning/word-models/named-data.js";
import { type FittedWordModels, fitWordModelsStage } from "../../../workbench/learning/word-models/fit-word-models.js";
import { readOpenData } from "../../../workbench/learning/word-models/open-data.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { modelFitShape } from "../../shapes/model.js";

export const modelFit: WorkOf<typeof modelFitShape> = (context, args) =>
  withHistory(context, "write", async (stage) => {
    const sources = await namedSources(stage.history, args);
    const fitted = await fitWordModelsStage(stage, {
      sources,
      openData: await readOpenData({
        texts: args.openText,
        pairs: args.pairs,
        without: args.without,
        licences: args.licences,
        lexicon: await namedLexicon(args.lexicon),
      }),
      splitId: args.split,
      steps: args.steps,
      seed: args.seed,
      directory: args.out,
      note: context.note,
    });
    return {
      result: {
        retriever: fitted.retriever,
        verifier: fitted.verifier,
        directory: args.out,
        card: fitted.card,
        milliseconds: fitted.milliseconds,
      },
      lines: fittedLines(fitted, args.out),
      next: [context.nextLine("eval", "run")],
    };
  });

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
