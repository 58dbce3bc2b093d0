import { fitModel } from "../../../stages/models.js";
import type { WorkOf } from "../../command.js";
import type { modelFitSpec } from "../../specs/model.js";
import { fittedLines } from "./fit-lexical.js";

export const modelFit: WorkOf<typeof modelFitSpec> = async (context, args) => {
  const fitted = await fitModel(context, args);
  return {
    result: { ...fitted, directory: args.out },
    lines: fittedLines(fitted, args.out, args.retriever === undefined ? "the shipped one" : "the given one"),
    next: [
      context.nextLine("eval", "run", "--retriever", `${args.out}/retriever`, "--verifier", `${args.out}/verifier`),
    ],
  };
};
