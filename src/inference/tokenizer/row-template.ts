import { SluiceError } from "../../base/error.js";

/** Token ids of one text, without special tokens. */
export type Segment = readonly number[];

/** One row of a model's input. */
export interface TokenRow {
  readonly ids: readonly number[];
  /** Token types, by which the tokenizer file distinguishes the two texts of a pair. */
  readonly typeIds: readonly number[];
  /** Whether tokens were left out to fit the row. */
  readonly truncated: boolean;
}

/** Part of a row: a special token, or a segment given by its position. */
export type TemplatePiece =
  | { readonly kind: "special"; readonly id: number; readonly typeId: number }
  | { readonly kind: "segment"; readonly index: number; readonly typeId: number };

/** Puts special tokens around the segments of one text or a pair, e.g. [CLS] text [SEP] document [SEP]. */
export class RowTemplate {
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
