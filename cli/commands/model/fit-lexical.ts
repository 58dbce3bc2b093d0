import { formatProportion, formatSeconds } from "../../../src/domain/number-text.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { id, path, seed } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import type { FittedModels } from "../../../workbench/learning/fit-models.js";
import { fields } from "../../table.js";

export const modelFitLexical = defineCommand({
  name: ["model", "fit-lexical"],
  describe: "Fit the embedded retriever and verifier on the FIT fold; no other fold is read",
  positionals: {},
  options: {
    split: optional(id, "split whose FIT fold is used; the latest when absent"),
    seed: preset(seed, "1", "seed of the verifier's starting weights and order"),
    out: optional(path, "folder for retriever/ and verifier/; models/ of the workspace when absent"),
  },
  examples: [
    ["sluice model fit-lexical", "the latest split"],
    ["sluice model fit-lexical --split 3f9c01ab --seed 7 --out models", "another split and folder"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { fitModels } = await import("../../../workbench/learning/fit-models.js");
      const directory = args.out ?? context.workspace.models;
      const fitted = await fitModels(stage, {
        ...(args.split === undefined ? {} : { splitId: args.split }),
        seed: args.seed,
        directory,
      });
      return commandResult({
        schema: "model-fit-lexical@1",
        result: fittedDocument(fitted, directory),
        lines: fittedLines(fitted, directory),
        next: [context.nextLine("eval", "run")],
      });
    }),
});

function fittedDocument(fitted: FittedModels, directory: string) {
  return {
    retriever: fitted.retriever,
    verifier: fitted.verifier,
    directory,
    fit_requests: fitted.fitRequests,
    pairs: fitted.pairs,
    loss: fitted.loss,
    milliseconds: fitted.milliseconds,
  };
}

/** The fit in words. */
export function fittedLines(fitted: FittedModels, directory: string): readonly string[] {
  return fields([
    ["retriever", `${shortId(fitted.retriever)}  lexical, head fitted when the index is built`],
    ["verifier", `${shortId(fitted.verifier)}  ${fitted.pairs} pairs of ${fitted.fitRequests} FIT requests`],
    ["loss", `${formatProportion(fitted.loss)} nats per pair`],
    ["folder", directory],
    ["time", formatSeconds(fitted.milliseconds)],
  ]);
}
