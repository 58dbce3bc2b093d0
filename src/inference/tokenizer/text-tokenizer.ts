/** The only user of @huggingface/tokenizers. */
import { Tokenizer } from "@huggingface/tokenizers";
import { SluiceError } from "../../base/error.js";
import { Unigram, type UnigramFile } from "./unigram.js";

/** Result of the tokenizer library, whose own type declarations do not resolve in ES modules. */
interface Encoding {
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  readonly token_type_ids?: readonly number[];
}

/** Texts encoded once, to find out which special tokens the file puts around a text and between two texts. */
const probes = ["a", "b"] as const;

/**
 * Tokenises texts according to a model's `tokenizer.json`, with two differences. Texts never yield special tokens:
 * "[SEP]" in a request is five characters, so that no caller can forge the boundary between text and document. Rows are
 * truncated here, because the library ignores that setting of the file.
 */
export class TextTokenizer {
  readonly single: RowTemplate;
  /** null if the file has no template for two texts. */
  readonly pair: RowTemplate | null;
  private readonly library: Tokenizer;
  /** Cuts the words of a Unigram model in place of the library; null for other models. */
  private readonly unigram: Unigram | null;
  /** Ids of special tokens, which no text may yield. */
  private readonly reserved: ReadonlySet<number>;
  private readonly literals: readonly string[];

  /** @param bytes  content of `tokenizer.json` @throws {SluiceError} MODEL_INVALID */
  constructor(bytes: Uint8Array) {
    const file = readTokenizerFile(bytes);
    const specials = specialTokens(file);
    const unigram = unigramOf(file);
    this.unigram = unigram === null ? null : new Unigram(unigram);
    this.library = openLibrary(unigram === null ? file : { ...file, model: unknownOnly(unigram) });
    this.literals = specials.map(({ content }) => content);
    this.single = requireTemplate(templateOf(this.library, file, probes.slice(0, 1)));
    this.pair = templateOf(this.library, file, probes);
    const inTemplates = [this.single, this.pair].flatMap((template) => specialIds(template?.pieces ?? []));
    const unknown: number | undefined = unigram?.unk_id ?? this.library.model?.unk_token_id;
    const neverWritten = specials.map(({ id }) => id).filter((id) => id !== unknown);
    this.reserved = new Set([...neverWritten, ...inTemplates]);
  }

  /**
   * Tokenises a text. If the text contains the literal form of a special token, tokenises it again with that literal
   * split.
   * @throws {SluiceError} MODEL_RUN_FAILED if that does not help
   */
  segment(text: string): Segment {
    const ids = this.read(text);
    if (!this.holdsSpecial(ids)) return ids;
    const broken = this.read(breakLiterals(text, this.literals));
    if (!this.holdsSpecial(broken)) return broken;
    throw new SluiceError("MODEL_RUN_FAILED", "a text yields special tokens of the model, although none may");
  }

  encodeText(text: string, maxTokens: number): TokenRow {
    return this.single.row([this.segment(text)], maxTokens);
  }

  /**
   * Builds the row of a text and a document. @throws {SluiceError} MODEL_INVALID if the file has no template for two
   * texts
   */
  encodePair(text: Segment, document: Segment, maxTokens: number): TokenRow {
    return this.requirePair().row([text, document], maxTokens);
  }

  /** @throws {SluiceError} MODEL_INVALID */
  requirePair(): RowTemplate {
    if (this.pair !== null) return this.pair;
    throw new SluiceError("MODEL_INVALID", "tokenizer.json puts no special token between two texts");
  }

  private read(text: string): Segment {
    const { unigram, library } = this;
    if (unigram !== null) {
      const normal: string = library.normalizer?.(text) ?? text;
      return normal === "" ? [] : unigram.idsOf(library.pre_tokenizer?.(normal, { section_index: 0 }) ?? [normal]);
    }
    const { ids }: Encoding = library.encode(text, { add_special_tokens: false });
    return ids;
  }

  private holdsSpecial(ids: Segment): boolean {
    return ids.some((id) => this.reserved.has(id));
  }
}

/** A Unigram model; null for other models, and if the file has tokens that the library finds in texts before the model reads them. */
const unigramOf = ({ model, added_tokens: added }: TokenizerFile): UnigramFile | null =>
  isUnigram(model) && added.every(({ special }) => special) ? model : null;

/** The model without pieces, from which the library learns only how it arranges texts. */
const unknownOnly = ({ vocab, unk_id: unknown, ...model }: UnigramFile): UnigramFile => ({
  ...model,
  vocab: vocab.slice(unknown, unknown + 1),
  unk_id: 0,
});

function isUnigram(model: unknown): model is UnigramFile {
  if (!isRecord(model) || model["type"] !== "Unigram" || !Array.isArray(model["vocab"])) return false;
  const { vocab, unk_id: unknown } = model;
  return isCount(unknown) && Number(unknown) < vocab.length && vocab.every(isScoredPiece);
}

const isScoredPiece = (piece: unknown): boolean =>
  Array.isArray(piece) && typeof piece[0] === "string" && typeof piece[1] === "number";

/** Opens the library without the file's special tokens, so that it does not search for them in texts. */
function openLibrary(file: TokenizerFile): Tokenizer {
  try {
    return new Tokenizer({ ...file, added_tokens: file.added_tokens.filter(({ special }) => !special) }, {});
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", "the tokenizer library refused tokenizer.json", { cause });
  }
}

/** Finds out how the file arranges as many texts as there are probes. */
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

/**
 * Inserts a space after the first character of every special token in a text, after normalising compatibility forms.
 */
function breakLiterals(text: string, literals: readonly string[]): string {
  let broken = text.normalize("NFKC");
  for (const literal of literals) {
    const [first = "", ...rest] = literal;
    broken = broken.replaceAll(literal, () => `${first} ${rest.join("")}`);
  }
  return broken;
}

/** Tokens of one or two texts, including special tokens. */
interface EncodedProbe {
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  /** Empty if all are 0. */
  readonly typeIds: readonly number[];
}

/**
 * Locates the tokens of known texts in a tokenizer's output; all other tokens are special tokens.
 * @param segments  tokens of each text alone
 * @returns null if a text is not found, or if no token separates two texts
 */
function learnTemplate(whole: EncodedProbe, segments: readonly (readonly string[])[]): RowTemplate | null {
  const pieces: TemplatePiece[] = [];
  const waiting = new Map(segments.entries());
  for (let at = 0; at < whole.tokens.length; ) {
    const piece = pieceAt(whole, waiting, at);
    pieces.push(piece);
    if (piece.kind === "segment") waiting.delete(piece.index);
    at += piece.kind === "segment" ? (segments[piece.index]?.length ?? 0) : 1;
  }
  const separated = segments.length === 1 || pieces.length > segments.length;
  return waiting.size === 0 && separated ? new RowTemplate(pieces) : null;
}

function pieceAt(
  { tokens, ids, typeIds }: EncodedProbe,
  waiting: ReadonlyMap<number, readonly string[]>,
  at: number,
): TemplatePiece {
  const typeId = typeIds[at] ?? 0;
  for (const [index, segment] of waiting) {
    const isHere = segment.length > 0 && segment.every((token, offset) => tokens[at + offset] === token);
    if (isHere) return { kind: "segment", index, typeId };
  }
  return { kind: "special", id: ids[at] ?? 0, typeId };
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

/** Fields of a `tokenizer.json` that are read here; the others are for the tokenizer library. */
interface TokenizerFile {
  readonly added_tokens: readonly AddedToken[];
  readonly model?: unknown;
  readonly padding?: { readonly pad_id: number } | null;
  readonly post_processor: {
    readonly type: string;
    readonly processors?: readonly { readonly type: string }[];
  } | null;
}

function readTokenizerFile(bytes: Uint8Array): TokenizerFile {
  const file = parse(bytes);
  const fault = faultOf(file);
  if (fault === null) return file as TokenizerFile;
  throw new SluiceError("MODEL_INVALID", `tokenizer.json: ${fault}`, {
    hint: "Restore the file from the export that the model came from.",
  });
}

/**
 * Describes the first invalid field; null if all fields read here are valid. Checked by hand, because threads that run
 * models do not load the schema library.
 */
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

/** Tokens with a role, such as the end of a text, which never represent user text. */
const specialTokens = (file: TokenizerFile): readonly AddedToken[] =>
  file.added_tokens.filter(({ special }) => special);

/** Whether the model has a single token type, as RoBERTa does; the tokenizer library would use two. */
function hasOneTokenType({ post_processor: processor }: TokenizerFile): boolean {
  const parts = processor === null ? [] : [processor, ...(processor.processors ?? [])];
  return parts.some(({ type }) => type === "RobertaProcessing");
}

/** Token ids of one text, without special tokens. */
export type Segment = readonly number[];

export interface TokenRow {
  readonly ids: readonly number[];
  /** Token types, by which the tokenizer file distinguishes the two texts of a pair. */
  readonly typeIds: readonly number[];
  /** Whether tokens were left out to fit the row. */
  readonly truncated: boolean;
}

/** Part of a row: a special token, or a segment given by its position. */
type TemplatePiece =
  | { readonly kind: "special"; readonly id: number; readonly typeId: number }
  | { readonly kind: "segment"; readonly index: number; readonly typeId: number };

/** Puts special tokens around the segments of one text or a pair, e.g. [CLS] text [SEP] document [SEP]. */
class RowTemplate {
  readonly pieces: readonly TemplatePiece[];
  private readonly specials: number;

  constructor(pieces: readonly TemplatePiece[]) {
    this.pieces = pieces;
    this.specials = pieces.filter(({ kind }) => kind === "special").length;
  }

  /**
   * Builds a row of at most `maxTokens`. Segments are truncated at their end; no special token is removed.
   * @param segments  the text, and the document for a pair
   * @throws {SluiceError} MODEL_INVALID if the special tokens leave no room for the segments; MODEL_RUN_FAILED for an
   *   empty row
   */
  row(segments: readonly Segment[], maxTokens: number): TokenRow {
    this.requireRoom(maxTokens, segments.length);
    const [text = [], document = []] = segments;
    const [textRoom, documentRoom] = shareRoom(text.length, document.length, maxTokens - this.specials);
    const cut = [text.slice(0, textRoom), document.slice(0, documentRoom)];
    const ids: number[] = [];
    const typeIds: number[] = [];
    for (const piece of this.pieces) {
      const added = piece.kind === "special" ? [piece.id] : (cut[piece.index] ?? []);
      for (const id of added) {
        ids.push(id);
        typeIds.push(piece.typeId);
      }
    }
    if (ids.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "a text without tokens; the tokenizer adds none");
    return { ids, typeIds, truncated: text.length > textRoom || document.length > documentRoom };
  }

  /** @throws {SluiceError} MODEL_INVALID */
  requireRoom(maxTokens: number, segments: number): void {
    if (maxTokens >= this.specials + segments) return;
    const message = `rows of ${maxTokens} tokens have no room: the tokenizer adds ${this.specials} special tokens`;
    throw new SluiceError("MODEL_INVALID", message);
  }
}

/** Divides the tokens between text and document: a long text gets half, or whatever a short document leaves. */
function shareRoom(text: number, document: number, room: number): readonly [text: number, document: number] {
  const textRoom = Math.min(text, Math.max(Math.ceil(room / 2), room - document));
  return [textRoom, Math.min(document, room - textRoom)];
}

const words = new WeakMap<Uint8Array, readonly string[]>();

/**
 * Vocabulary pieces of a `tokenizer.json` that are whole words, in file order, which WordPiece sorts by frequency.
 * Cached per buffer.
 */
export function wholeWords(tokenizer: Uint8Array): readonly string[] {
  const known = words.get(tokenizer);
  if (known !== undefined) return known;
  const found = wordsIn(tokenizer);
  words.set(tokenizer, found);
  return found;
}

function wordsIn(tokenizer: Uint8Array): readonly string[] {
  const file = JSON.parse(Buffer.from(tokenizer).toString("utf8")) as { readonly model?: { readonly vocab?: unknown } };
  const vocabulary = file.model?.vocab;
  if (typeof vocabulary !== "object" || vocabulary === null || Array.isArray(vocabulary)) return [];
  return Object.entries(vocabulary as Readonly<Record<string, number>>)
    .filter(([piece]) => /^[a-z]+$/.test(piece))
    .sort(([, a], [, b]) => a - b)
    .map(([piece]) => piece);
}
