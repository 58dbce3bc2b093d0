import { requestBuckets } from "../../../eval/requests/request-bucket.js";
import type { RequestFilter } from "../../../eval/requests/request-filter.js";
import { riskTiers } from "../../../src/domain/choices.js";
import { reasonCodes } from "../../../src/domain/decision.js";
import { attributionBuckets } from "../../../src/domain/evaluation.js";
import { SluiceError } from "../../../src/errors/error.js";
import { optional, repeated, type ValuesOf } from "../../options.js";
import { choice, text, type ValueKind } from "../../parsers.js";

/** How the command line writes a request without a right workflow. */
const noWorkflow = "none";

function parted(placeholder: string, separator: string): ValueKind<readonly [string, string]> {
  return {
    placeholder,
    parse: (raw, name) => {
      const at = raw.indexOf(separator);
      if (at > 0 && at + 1 < raw.length) return [raw.slice(0, at), raw.slice(at + 1)];
      throw new SluiceError("USAGE", `${name}: expected ${placeholder}`, { hint: `Write ${name} ${placeholder}.` });
    },
  };
}

const codes = Object.keys(reasonCodes);

/** A reason code; there are too many for a help text. */
const reasonCode: ValueKind<string> = {
  placeholder: "CODE",
  parse: (raw, name) => {
    if (codes.includes(raw)) return raw;
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected a reason code`, {
      hint: `The codes are ${codes.join(", ")}.`,
    });
  },
};

/** Options that choose requests of a run. */
export const requestFilterOptions = {
  bucket: repeated(choice(...requestBuckets), "outcome of the request; may be repeated; by default all errors"),
  stage: repeated(choice(...attributionBuckets), "stage that caused the error; may be repeated"),
  tier: optional(choice(...riskTiers), "risk tier of the top workflow"),
  workflow: optional(text, "correct or top workflow"),
  "reason-code": optional(reasonCode, "reason code of the decision, e.g. BELOW_RISK_THRESHOLD"),
  pair: optional(parted("RIGHT:FIRST", ":"), `correct and top workflow; ${noWorkflow} means out of scope`),
  slice: optional(parted("NAME=VALUE", "="), "slice of the dataset"),
} as const;

/** The filter of these options. */
export function requestFilter(args: ValuesOf<typeof requestFilterOptions>): RequestFilter {
  const { bucket, stage, tier, workflow, reasonCode: reason, pair, slice } = args;
  return {
    ...(bucket.length === 0 ? {} : { buckets: bucket }),
    ...(stage.length === 0 ? {} : { stages: stage }),
    ...(tier === undefined ? {} : { tier }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(reason === undefined ? {} : { reason }),
    ...(pair === undefined ? {} : { pair: { right: pair[0] === noWorkflow ? null : pair[0], first: pair[1] } }),
    ...(slice === undefined ? {} : { slice: { name: slice[0], value: slice[1] } }),
  };
}
