import { type Static, Type } from "typebox";
import { checkSchema } from "../../domain/check-schema.js";
import { SluiceError } from "../../errors/error.js";

const AddedTokenSchema = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  content: Type.String({ minLength: 1 }),
  special: Type.Boolean(),
});

const PostProcessorSchema = Type.Object({
  type: Type.String(),
  processors: Type.Optional(Type.Array(Type.Object({ type: Type.String() }))),
});

/** Fields of a `tokenizer.json` that are read here; the rest is for the tokenizer library. */
const TokenizerFileSchema = Type.Object({
  added_tokens: Type.Array(AddedTokenSchema),
  padding: Type.Optional(Type.Union([Type.Null(), Type.Object({ pad_id: Type.Integer({ minimum: 0 }) })])),
  post_processor: Type.Union([Type.Null(), PostProcessorSchema]),
});

export type TokenizerFile = Static<typeof TokenizerFileSchema>;
export type AddedToken = Static<typeof AddedTokenSchema>;

/** @throws {SluiceError} MODEL_INVALID */
export function readTokenizerFile(bytes: Uint8Array): TokenizerFile {
  return checkSchema(TokenizerFileSchema, parse(bytes), "tokenizer.json", "MODEL_INVALID");
}

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
