import { basename, dirname } from "node:path";
import { counted, formatSeconds } from "../../../src/documents/number-text.js";
import { SluiceError } from "../../../src/base/error.js";
import { evaluateShard, type EvaluateShardOptions } from "../../../stages/score.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";
import { shellLine } from "../../shell-line.js";

/** `eval run --shard`: writes one shard; a run, and so its gates, exists only after `eval merge`. */
export async function evalShard(
  context: CommandContext,
  options: EvaluateShardOptions,
  gates: readonly unknown[],
): Promise<ResultParts> {
  if (gates.length > 0) {
    throw new SluiceError("USAGE", "--gate with --shard: a shard has no metrics", {
      hint: "Give --gate to sluice eval merge.",
    });
  }
  const { file, header, known, milliseconds } = await evaluateShard(context, options);
  const { shard, shards, requests, scoring_errors } = header;
  const all = basename(file).replace(/-\d+-of-/u, "-*-of-");
  // The shell expands the pattern, so that it is not quoted.
  const files = `${shellLine([dirname(file)])}/${all}`;
  return {
    result: { file, shard, shards, requests, scoring_errors, known, milliseconds },
    fields: [
      ["shard", `${shard} of ${shards}${known ? ", scored before" : ""}`],
      ["requests", `${counted(requests, "request")}, ${scoring_errors} failed`],
      ["file", file],
      ["time", formatSeconds(milliseconds)],
    ],
    next: [`${context.nextLine("eval", "merge")} ${files}`],
  };
}
