import { fitModel } from "../../../stages/models.js";
import type { WorkOf } from "../../command.js";
import type { modelFitSpec } from "../../specs/model.js";
import type { FittedModels } from "../../../stages/models/fit-models.js";
import { counted, formatProportion, formatSeconds } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { fields } from "../../table.js";

export const modelFit: WorkOf<typeof modelFitSpec> = async (context, args) => {
  const fitted = await fitModel(context, args);
  return {
    result: { ...fitted, directory: args.out },
    lines: fittedLines(
      fitted,
      context.here(args.out),
      args.retriever === undefined ? "the shipped one" : "the given one",
    ),
    next: [context.next("eval", "run", "--retriever", `${args.out}/retriever`, "--verifier", `${args.out}/verifier`)],
  };
};

function fittedLines(fitted: FittedModels, directory: string, retriever: string): readonly string[] {
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
