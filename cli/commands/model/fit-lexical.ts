import { counted, formatProportion, formatSeconds } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { fitLexicalModel } from "../../../stages/models.js";
import type { FittedModels } from "../../../stages/models/fit-models.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { modelFitLexicalSpec } from "../../specs/model.js";

export const modelFitLexical: WorkOf<typeof modelFitLexicalSpec> = async (context, args) => {
  const fitted = await fitLexicalModel(context, args);
  return {
    result: fitted,
    lines: fittedLines(fitted, context.here(fitted.directory), "lexical, head fitted when the index is built"),
    next: [context.nextLine("eval", "run")],
  };
};

/** Output lines of a fit. @param retriever  description of the retriever */
export function fittedLines(fitted: FittedModels, directory: string, retriever: string): readonly string[] {
  return fields([
    ["retriever", `${shortId(fitted.retriever)}  ${retriever}`],
    [
      "verifier",
      `${shortId(fitted.verifier)}  ${counted(fitted.pairs, "pair")} of ${fitted.fit_requests} FIT requests`,
    ],
    ["loss", `${formatProportion(fitted.loss)} nats per request`],
    ["folder", directory],
    ["time", formatSeconds(fitted.milliseconds)],
  ]);
}
