import { counted, formatSeconds } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { fieldIf, fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { evalRunSpec } from "../../specs/eval.js";
import { evaluateShard, type EvaluateShardOptions, runEvaluation } from "../../../stages/score.js";
import { describeEvaluation } from "../../../reports/text/evaluation-text.js";
import { dirname } from "node:path";
import { command, say, SluiceError } from "../../../src/base/error.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";

export const evalRun: WorkOf<typeof evalRunSpec> = async (context, args, { shard, shardFolder, junit }) => {
  if (shard !== undefined) {
    const { split, retriever, verifier, policy, workers, queueKey } = args;
    const asked = { split, retriever, verifier, policy, workers, queueKey, shard, shardFolder };
    return evalShard(context, asked, { "--gate": args.gate.length > 0, "--note": args.note !== undefined });
  }
  const { gates, ...scored } = await runEvaluation(context, { ...args, onNote: context.note });
  const { run, document, evaluation, scores_of: scoresOf, milliseconds } = scored;
  return {
    result: scored,
    lines: [
      ...fields([
        ["run", shortId(run)],
        ["requests", `${counted(document.requests, "request")}, ${document.scoring_errors} failed`],
        ["models", document.model_version],
        ...fieldIf(scoresOf !== null, ["scores of", `run ${shortId(scoresOf ?? "")}, which differs only in its split`]),
        ["time", formatSeconds(milliseconds)],
      ]),
      "",
      ...describeEvaluation(evaluation),
    ],
    next: [context.next("calibrate", "plan", "--run", shortId(run))],
    gates,
    gateReport: { junit },
  };
};

/** `eval run --shard`: writes one shard. There is no run, and thus no gate, before `eval merge`. */
async function evalShard(
  context: CommandContext,
  options: EvaluateShardOptions,
  ofRun: Readonly<Record<string, boolean>>,
): Promise<ResultParts> {
  const [refused] = Object.keys(ofRun).filter((option) => ofRun[option]);
  if (refused !== undefined) {
    throw new SluiceError("USAGE", `${refused} with --shard: a shard is no run`, {
      hint: say`Give ${refused} to ${command`sluice eval merge`}.`,
    });
  }
  const { file, header, known, milliseconds } = await evaluateShard(context, options);
  const { shard, shards, requests, scoring_errors } = header;
  return {
    result: { file, shard, shards, requests, scoring_errors, known, milliseconds },
    fields: [
      ["shard", `${shard} of ${shards}${known ? ", scored before" : ""}`],
      ["requests", `${counted(requests, "request")}, ${scoring_errors} failed`],
      ["file", context.here(file)],
      ["time", formatSeconds(milliseconds)],
    ],
    next: [context.next("eval", "merge", dirname(file))],
  };
}
