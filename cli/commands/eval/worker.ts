import { projectFileName } from "../../../src/documents/choices.js";
import { counted, formatSeconds } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { workForQueue } from "../../../stages/score.js";
import type { WorkOf } from "../../command.js";
import type { evalWorkerSpec } from "../../specs/eval.js";

export const evalWorker: WorkOf<typeof evalWorkerSpec> = async (context, args) => {
  let failed = 0;
  const scored = await workForQueue(context, {
    ...args,
    project: context.inProject ? projectFileName : undefined,
    onStart: () => context.note("waiting for shards; Ctrl-C returns unfinished work to the queue"),
    onShard: ({ run, shard, shards, requests, milliseconds, failure }) => {
      if (failure !== null) failed += 1;
      const what = failure ?? `${counted(requests, "request")} in ${formatSeconds(milliseconds)}`;
      context.note(`run ${shortId(run)}, shard ${shard} of ${shards}: ${what}`);
    },
  });
  return {
    result: { scored, failed },
    fields: [["shards", `${scored} scored, ${failed} failed`]],
  };
};
