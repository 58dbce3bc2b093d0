import { withHistory } from "../../../store/records/with-history.js";
import { readBackground, retrieverToFitFor } from "../../../stages/models/fit-inputs.js";
import { fitModels } from "../../../stages/models/fit-models.js";
import { namedSources } from "../../../stages/models/fit-sources.js";
import type { WorkOf } from "../../command.js";
import type { modelFitSpec } from "../../specs/model.js";
import { fittedLines } from "./fit-lexical.js";

export const modelFit: WorkOf<typeof modelFitSpec> = (context, args) =>
  withHistory(context, "write", async (session) => {
    const fitted = await fitModels(session, {
      retriever: await retrieverToFitFor(session, args.retriever),
      sources: await namedSources(session.history, args),
      catalogs: args.catalogs,
      background: await readBackground(args.unrelated),
      seed: args.seed,
      directory: args.out,
    });
    return {
      result: { ...fitted, directory: args.out },
      lines: fittedLines(fitted, args.out, args.retriever === undefined ? "the shipped one" : "the given one"),
      next: [
        context.nextLine("eval", "run", "--retriever", `${args.out}/retriever`, "--verifier", `${args.out}/verifier`),
      ],
    };
  });
