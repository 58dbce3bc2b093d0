/** The only user of @huggingface/tokenizers. */
import { Tokenizer } from "@huggingface/tokenizers";
import { SluiceError } from "../../errors/error.js";
import { learnTemplate } from "./learn-template.js";
import type { RowTemplate, Segment, TemplatePiece, TokenRow } from "./row-template.js";
import { hasOneTokenType, readTokenizerFile, specialTokens, type TokenizerFile } from "./tokenizer-file.js";

/** A result of the library, whose own declarations do not resolve in ES modules. */
interface Encoding {
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  readonly token_type_ids?: readonly number[];
}

/** Texts that are encoded once to see which special tokens the file puts around a text and between two. */
const probes = ["a", "b"] as const;

/**
 * Tokenises texts by a model's `tokenizer.json`, with two differences. Texts never yield special tokens: "[SEP]" in a
 * request is five characters, so that no caller can forge the border between text and document. Rows are truncated
 * here, because the library ignores that setting of the file.
 */
export class TextTokenizer {
  readonly single: RowTemplate;
  /** null when the file has no form for two texts. */
  readonly pair: RowTemplate | null;
  private readonly library: Tokenizer;
  /** Ids that no text may yield. */
  private readonly reserved: ReadonlySet<number>;
  private readonly literals: readonly string[];

  /** @param bytes  content of `tokenizer.json` @throws {SluiceError} MODEL_INVALID */
  constructor(bytes: Uint8Array) {
    const file = readTokenizerFile(bytes);
    const specials = specialTokens(file);
    this.library = openLibrary(file);
    this.literals = specials.map(({ content }) => content);
    this.single = requireTemplate(templateOf(this.library, file, probes.slice(0, 1)));
    this.pair = templateOf(this.library, file, probes);
    const inTemplates = [this.single, this.pair].flatMap((template) => specialIds(template?.pieces ?? []));
    const unknown: number | undefined = this.library.model?.unk_token_id;
    const neverWritten = specials.map(({ id }) => id).filter((id) => id !== unknown);
    this.reserved = new Set([...neverWritten, ...inTemplates]);
  }

  /**
   * The tokens of a text. A text that spells a special token of the vocabulary is read again with the spelling broken.
   * @throws {SluiceError} MODEL_RUN_FAILED when that does not help
   */
  segment(text: string): Segment {
    const ids = this.read(text);
    if (!this.holdsSpecial(ids)) return ids;
    const broken = this.read(breakLiterals(text, this.literals));
    if (!this.holdsSpecial(broken)) return broken;
    throw new SluiceError("MODEL_RUN_FAILED", "a text yields special tokens of the model, although none may");
  }

  /** The row of one text. */
  encodeText(text: string, maxTokens: number): TokenRow {
    return this.single.row([this.segment(text)], maxTokens);
  }

  /** The row of a text and a document. @throws {SluiceError} MODEL_INVALID when the file has no form for two texts */
  encodePair(text: Segment, document: Segment, maxTokens: number): TokenRow {
    return this.requirePair().row([text, document], maxTokens);
  }

  /** @throws {SluiceError} MODEL_INVALID */
  requirePair(): RowTemplate {
    if (this.pair !== null) return this.pair;
    throw new SluiceError("MODEL_INVALID", "tokenizer.json puts no special token between two texts");
  }

  private read(text: string): Segment {
    const { ids }: Encoding = this.library.encode(text, { add_special_tokens: false });
    return ids;
  }

  private holdsSpecial(ids: Segment): boolean {
    return ids.some((id) => this.reserved.has(id));
  }
}

/** The library without the file's special tokens, so that it does not look for them in texts. */
function openLibrary(file: TokenizerFile): Tokenizer {
  try {
    return new Tokenizer({ ...file, added_tokens: file.added_tokens.filter(({ special }) => !special) }, {});
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", "the tokenizer library refused tokenizer.json", { cause });
  }
}

/** How the file arranges as many texts as there are probes. */
function templateOf(library: Tokenizer, file: TokenizerFile, texts: readonly string[]): RowTemplate | null {
  const [text = "", document = null] = texts;
  const whole: Encoding = library.encode(text, { text_pair: document, return_token_type_ids: true });
  const specialIdOf = new Map(file.added_tokens.map(({ content, id }) => [content, id]));
  const ids = whole.tokens.map((token, at) => specialIdOf.get(token) ?? whole.ids[at] ?? 0);
  const typeIds = hasOneTokenType(file) ? [] : (whole.token_type_ids ?? []);
  const segments = texts.map((probe) => library.tokenize(probe));
  return learnTemplate({ tokens: whole.tokens, ids, typeIds }, segments);
}

const specialIds = (pieces: readonly TemplatePiece[]): readonly number[] =>
  pieces.flatMap((piece) => (piece.kind === "special" ? [piece.id] : []));

function requireTemplate(template: RowTemplate | null): RowTemplate {
  if (template !== null) return template;
  throw new SluiceError("MODEL_INVALID", `tokenizer.json yields no tokens for the text "${probes[0]}"`);
}

/** Puts a space after the first character of every special token. Compatibility forms are written out first. */
function breakLiterals(text: string, literals: readonly string[]): string {
  let broken = text.normalize("NFKC");
  for (const literal of literals) {
    const [first = "", ...rest] = literal;
    broken = broken.replaceAll(literal, () => `${first} ${rest.join("")}`);
  }
  return broken;
}
