import { SluiceError } from "../../errors/error.js";

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

/** Fields of a `tokenizer.json` that are read here; the rest is for the tokenizer library. */
export interface TokenizerFile {
  readonly added_tokens: readonly AddedToken[];
  readonly padding?: { readonly pad_id: number } | null;
  readonly post_processor: {
    readonly type: string;
    readonly processors?: readonly { readonly type: string }[];
  } | null;
}

/** @throws {SluiceError} MODEL_INVALID */
export function readTokenizerFile(bytes: Uint8Array): TokenizerFile {
  const file = parse(bytes);
  const fault = faultOf(file);
  if (fault === null) return file as TokenizerFile;
  throw new SluiceError("MODEL_INVALID", `tokenizer.json: ${fault}`, {
    hint: "Restore the file from the export that the model came from.",
  });
}

/** Checked by hand: threads that run models load no schema library. null when every field that is read is right. */
function faultOf(file: unknown): string | null {
  if (!isRecord(file)) return "expected an object";
  const { added_tokens: tokens, padding, post_processor: processor } = file;
  if (!Array.isArray(tokens)) return "/added_tokens: expected an array";
  const wrong = tokens.findIndex((token) => !isAddedToken(token));
  if (wrong >= 0) return `/added_tokens/${wrong}: expected id, content and special`;
  if (padding !== undefined && padding !== null && !(isRecord(padding) && isCount(padding["pad_id"]))) {
    return "/padding/pad_id: expected an integer of at least 0";
  }
  return processor === null ? null : faultOfProcessor(processor);
}

function faultOfProcessor(processor: unknown): string | null {
  if (!isNamed(processor)) return "/post_processor/type: expected a name";
  const { processors } = processor;
  if (processors === undefined || (Array.isArray(processors) && processors.every(isNamed))) return null;
  return "/post_processor/processors: expected an array of processors with a type";
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNamed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && typeof value["type"] === "string";

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const isAddedToken = (token: unknown): boolean =>
  isRecord(token) &&
  isCount(token["id"]) &&
  typeof token["content"] === "string" &&
  token["content"] !== "" &&
  typeof token["special"] === "boolean";

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", "tokenizer.json is not JSON", { cause });
  }
}

/** Special tokens have a role, such as the end of a text, and never represent user text. */
export const specialTokens = (file: TokenizerFile): readonly AddedToken[] =>
  file.added_tokens.filter(({ special }) => special);

/** RoBERTa has a single token type, unlike the tokenizer library's default. */
export function hasOneTokenType({ post_processor: processor }: TokenizerFile): boolean {
  const parts = processor === null ? [] : [processor, ...(processor.processors ?? [])];
  return parts.some(({ type }) => type === "RobertaProcessing");
}
