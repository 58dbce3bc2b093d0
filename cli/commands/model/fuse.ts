import { formatPercent, formatProportion } from "../../../src/domain/number-text.js";
import { fuseRetrievers } from "../../../workbench/learning/fused/fuse-retrievers.js";
import type { RankingQuality } from "../../../workbench/learning/fused/choose-encoder-weight.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { modelFuseShape } from "../../shapes/model.js";

export const modelFuse: WorkOf<typeof modelFuseShape> = (context, args) =>
  withHistory(context, "read", async (stage) => {
    const { encoder, kernels: wordKernels, split: splitId, name: version, out: directory } = args;
    const { description, quality } = await fuseRetrievers(stage, { encoder, wordKernels, splitId, version, directory });
    const { fitted_on: fittedOn, encoder_weight: weight } = description;
    return {
      result: {
        directory,
        document: description,
        fused: qualityWire(quality.fused),
        encoder: qualityWire(quality.encoder),
        word_kernels: qualityWire(quality.wordKernels),
      },
      lines: [
        ...fields([
          ["model", `${description.version}: retriever, fused, ${description.capability}`],
          ["weights", `encoder ${formatProportion(weight)}, word kernels ${formatProportion(1 - weight)}`],
          ["chosen on", `${fittedOn.requests} requests of fold TUNE`],
          ["folder", directory],
        ]),
        "",
        ...table(
          [
            ["word kernels", ...qualityCells(quality.wordKernels)],
            ["encoder", ...qualityCells(quality.encoder)],
            ["fused", ...qualityCells(quality.fused)],
          ],
          ["ranking", "first is right", "mean reciprocal rank"],
        ),
      ],
      next: [context.nextLine("eval", "run", "--retriever", directory)],
    };
  });

const qualityWire = ({ encoderWeight, reciprocalRank, first }: RankingQuality) => ({
  encoder_weight: encoderWeight,
  mean_reciprocal_rank: reciprocalRank,
  first,
});

const qualityCells = ({ reciprocalRank, first }: RankingQuality): readonly string[] => [
  formatPercent(first, 1),
  formatProportion(reciprocalRank),
];
