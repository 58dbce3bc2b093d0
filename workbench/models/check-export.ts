import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/domain/model.js";
import type { GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { deriveLabelOrder } from "./derive-label-order.js";
import { deriveMaxTokens } from "./derive-max-tokens.js";
import { deriveNormalise } from "./derive-normalise.js";
import { isLabelOrder, labelSets } from "../../src/verification/label-mapping.js";
import { columnsOf } from "./derive-output.js";
import { derivePooling } from "./derive-pooling.js";
import { exportedPrefix } from "./derive-prefix.js";
import { failed, type ModelCheck, note, ok } from "./model-check.js";
import { exportFiles, type ModelExport } from "./model-export.js";
import { isMissing } from "./sourced.js";

/** A description against what the export says of itself. `output` is undefined when the graph does not have it. */
export function checkAgainstExport(
  model: ModelExport,
  described: EncoderRetrieverModel | CrossEncoderModel,
  output: GraphPortFacts | undefined,
): readonly ModelCheck[] {
  const own =
    described.kind === "encoder"
      ? encoderChecks(model, described, output)
      : [checkLabelOrder(model, described, output)];
  return [...own, checkMaxTokens(model, described.maxTokens), checkSpecialTokens(model)];
}

function encoderChecks(
  model: ModelExport,
  described: EncoderRetrieverModel,
  output: GraphPortFacts | undefined,
): readonly ModelCheck[] {
  return [
    ...(output === undefined ? [] : [checkPooling(model, described, output)]),
    checkNormalise(model, described.normalise),
    checkPrefix(model, "query", described.prefix.query),
    checkPrefix(model, "document", described.prefix.document),
  ];
}

function checkLabelOrder(
  model: ModelExport,
  { labelOrder }: CrossEncoderModel,
  output: GraphPortFacts | undefined,
): ModelCheck {
  const set = checkLabelSet(labelOrder);
  if (set.status === "failed") return set;
  const { found } = set;
  const columns = output === undefined ? labelOrder.length : columnsOf(output);
  const exported = deriveLabelOrder(model, columns, undefined);
  if (isMissing(exported)) return note("label order", found, exported.missing);
  const expected = exported.value.join();
  return found === expected
    ? ok("label order", found, exported.source)
    : failed("label order", found, `${expected} of ${exported.source}`);
}

/** Whether a verifier can be read from these columns. */
export function checkLabelSet(labelOrder: readonly string[]): ModelCheck {
  const found = labelOrder.join();
  if (isLabelOrder(labelOrder)) return ok("label order", found);
  return failed("label order", found, `one of these in any order: ${labelSets.join("; ")}`);
}

function checkPooling(model: ModelExport, { pooling }: EncoderRetrieverModel, output: GraphPortFacts): ModelCheck {
  const exported = derivePooling(model, output, pooling);
  if (isMissing(exported)) return failed("pooling", pooling, exported.missing.replace("--pooling ", ""));
  return exported.source === "--pooling"
    ? note("pooling", pooling, "the export has no pooling module")
    : ok("pooling", pooling, exported.source);
}

function checkNormalise(model: ModelExport, normalise: boolean): ModelCheck {
  const exported = deriveNormalise(model, undefined);
  if (isMissing(exported)) return note("normalise", `${normalise}`, exported.missing);
  if (exported.value === normalise) return ok("normalise", `${normalise}`, exported.source);
  const contradicted = isMissing(deriveNormalise(model, normalise));
  return (contradicted ? failed : note)("normalise", `${normalise}`, `${exported.value} of ${exported.source}`);
}

function checkMaxTokens(model: ModelExport, maxTokens: number): ModelCheck {
  const limit = deriveMaxTokens(model, undefined);
  if (isMissing(limit)) return note("token limit", `${maxTokens}`, limit.missing);
  const expected = `at most ${limit.value} of ${limit.source}`;
  return maxTokens <= limit.value
    ? ok("token limit", `${maxTokens}`, expected)
    : failed("token limit", `${maxTokens}`, expected);
}

/** Both values are quoted, so that a trailing space is visible. */
function checkPrefix(model: ModelExport, kind: "query" | "document", prefix: string): ModelCheck {
  const name = `${kind} prefix`;
  const exported = exportedPrefix(model, kind);
  const found = JSON.stringify(prefix);
  if (exported === undefined) return ok(name, found, "the export has no prompt for it");
  const expected = `${JSON.stringify(exported)} of ${exportFiles.prompts}`;
  return exported === prefix ? ok(name, found, expected) : note(name, found, expected);
}

const tokenRoles = ["cls_token", "sep_token", "pad_token"] as const;

function checkSpecialTokens({ tokenizer, tokenizerConfig, specialTokens }: ModelExport): ModelCheck {
  const ids = new Map((tokenizer.added_tokens ?? []).map(({ id, content }) => [content, id]));
  const named = tokenRoles.flatMap((role) => {
    const token = specialTokens?.[role] ?? tokenizerConfig?.[role] ?? undefined;
    return token === undefined ? [] : [{ role, text: typeof token === "string" ? token : token.content }];
  });
  const absent = named.filter(({ text }) => !ids.has(text));
  if (absent.length > 0) {
    const found = absent.map(({ role, text }) => `${role} ${text}`).join(", ");
    return failed("special tokens", `${exportFiles.tokenizer} lacks ${found}`, "every named token");
  }
  const texts = named.map(({ text }) => text).join(", ") || "none named";
  return ok("special tokens", texts);
}
