import { RowTemplate, type TemplatePiece } from "./row-template.js";

/** Tokens of one or two texts, including special tokens. */
export interface EncodedProbe {
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  /** Empty where all are 0. */
  readonly typeIds: readonly number[];
}

/**
 * Finds the tokens of known texts in a tokenizer's output; all others are special tokens.
 * @param segments  tokens of each text alone
 * @returns null when a text is not found, or no token separates two texts
 */
export function learnTemplate(whole: EncodedProbe, segments: readonly (readonly string[])[]): RowTemplate | null {
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
