import { optional, preset, repeated, type ValuesOf, kind, listKind } from "../../../src/base/options.js";
import { attributionBuckets, folds, requestBuckets, riskTiers } from "../../../src/documents/choices.js";
import { choice, id, probability, text } from "../../../stages/options/kinds.js";
import { givenOnly } from "../../../stages/choices.js";
import type { RequestFilter } from "../../../eval/requests/error-groups.js";
import { reasonCodes } from "../../../src/documents/decision.js";
import type { QueueSettings } from "../../../stages/index.js";

/** `--fold`: one fold, or all of them together. */
export const foldOption = (describe: string) => preset(choice(...folds, "all"), "eval", describe);

export const decidedRunOptions = {
  run: optional(id, "run; by default the latest"),
  calibration: optional(id, "calibration that decides; by default the latest that applies to the run"),
  minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
  fold: foldOption("fold to read, or all; an empty eval is replaced by certify"),
} as const;

/** Word for "no right workflow" on the command line. */
const noWorkflow = "none";

const parted = (placeholder: string, separator: string) =>
  listKind(placeholder, placeholder, (raw): readonly [string, string] | undefined => {
    const at = raw.indexOf(separator);
    return at > 0 && at + 1 < raw.length ? [raw.slice(0, at), raw.slice(at + 1)] : undefined;
  });

const codes = Object.keys(reasonCodes);

/** A reason code; there are too many to list in a help text. */
const reasonCode = kind("CODE", `one of the reason codes ${codes.join(", ")}`, (raw) =>
  codes.includes(raw) ? raw : undefined,
);

export const requestFilterOptions = {
  bucket: repeated(choice(...requestBuckets), "outcome of the request; may be repeated; by default all errors"),
  stage: repeated(choice(...attributionBuckets), "stage that caused the error; may be repeated"),
  tier: optional(choice(...riskTiers), "risk tier of the top workflow"),
  workflow: optional(text, "correct or top workflow"),
  reasonCode: optional(reasonCode, "reason code of the decision, e.g. BELOW_RISK_THRESHOLD"),
  pair: optional(parted("RIGHT:FIRST", ":"), `correct and top workflow; ${noWorkflow} means out of scope`),
  slice: optional(parted("NAME=VALUE", "="), "slice of the dataset"),
} as const;

export function requestFilter(args: ValuesOf<typeof requestFilterOptions>): RequestFilter {
  const { bucket, stage, tier, workflow, reasonCode: reason, pair, slice } = args;
  return givenOnly({
    buckets: bucket.length === 0 ? undefined : bucket,
    stages: stage.length === 0 ? undefined : stage,
    tier,
    workflow,
    reason,
    pair: pair && { right: pair[0] === noWorkflow ? null : pair[0], first: pair[1] },
    slice: slice && { name: slice[0], value: slice[1] },
  });
}

interface QueueArguments {
  readonly queue: string | undefined;
  readonly queueCredentials: string | undefined;
  readonly queueCa: string | undefined;
  readonly queueKey: string | undefined;
  readonly queuePrefix: string;
  readonly inputs: string | undefined;
  readonly inputsCredentials: string | undefined;
  readonly shipTexts?: boolean;
}

/** Queue settings from the flags; null without --queue. */
export function queueOf(args: QueueArguments): QueueSettings | null {
  const { queue, queueCredentials, queueCa, queueKey, queuePrefix, inputs, inputsCredentials, shipTexts } = args;
  if (queue === undefined) return null;
  return {
    url: queue,
    prefix: queuePrefix,
    ...(queueCredentials === undefined ? {} : { credentials: queueCredentials }),
    ...(queueCa === undefined ? {} : { ca: queueCa }),
    ...(queueKey === undefined ? {} : { key: queueKey }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(inputsCredentials === undefined ? {} : { inputs_credentials: inputsCredentials }),
    ...(shipTexts === true ? { ship_texts: true } : {}),
  };
}
