import { toSnake } from "../../../src/domain/camel.js";
import { SluiceError } from "../../../src/errors/error.js";
import { explainRequest, explainText, type RequestStory } from "../../../workbench/evaluation/explain-request.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { requestText } from "../route/read-text.js";
import type { WorkOf } from "../../command.js";
import type { evalExplainShape } from "../../shapes/eval.js";
import { storyLines } from "./story-lines.js";

export const evalExplain: WorkOf<typeof evalExplainShape> = async (context, args) => {
  const given = exactlyOne(args.request, args.text);
  const read = given.kind === "text" ? await requestText(given.value, context.signal) : null;
  return withHistory(context, "read", async (stage) => {
    const options = {
      runId: args.run,
      thresholds: { calibrationId: args.calibration, threshold: args.minConfidence },
    };
    const story =
      read === null
        ? explainRequest(stage.history, { ...options, requestId: given.value, withTexts: args.withTexts })
        : await explainText(stage, { ...options, text: read });
    return {
      result: storyJson(story, read === null),
      lines: storyLines(story, read === null),
      warnings: story.thresholds === null ? ["No thresholds apply: only the ranking of the workflows is shown."] : [],
    };
  });
};

function exactlyOne(
  request: string | undefined,
  given: string | undefined,
): { readonly kind: "request" | "text"; readonly value: string } {
  if (request !== undefined && given === undefined) return { kind: "request", value: request };
  if (given !== undefined && request === undefined) return { kind: "text", value: given };
  throw new SluiceError("USAGE", "expected the id of a request or --text, not both", {
    hint: "Run: sluice eval explain ID, or sluice eval explain --text TEXT",
  });
}

/** @param inDataset  false for a text: it has no id, no label and no fold */
function storyJson(story: RequestStory, inDataset: boolean) {
  const { record, run, thresholds, decision, candidates, evidence, bar, changes, rightWorkflow, bucket, stage } = story;
  return {
    run,
    thresholds: thresholds?.sha256 ?? null,
    request: inDataset
      ? {
          id: record.id,
          fold: record.fold,
          population: record.population,
          cluster: record.cluster,
          workflow_id: record.workflowId,
          gold_rank: record.goldRank,
          slices: record.slices,
          bucket,
          stage,
        }
      : null,
    ...(story.text === null ? {} : { text: story.text }),
    error_code: record.errorCode,
    early_reason: record.earlyReason,
    decision: toSnake<unknown>(decision),
    bar: toSnake<unknown>(bar),
    candidates: toSnake<unknown>(candidates),
    evidence:
      evidence === null
        ? null
        : evidence.features.map((name, index) => ({ name, value: evidence.values[index] ?? null })),
    changes: toSnake<unknown>(changes),
    right_workflow: toSnake<unknown>(rightWorkflow),
  };
}
