/** The part of a `tokenizer.json` with a Unigram model. */
export interface UnigramFile {
  readonly type: "Unigram";
  /** Pieces with their log probabilities, by id. */
  readonly vocab: readonly (readonly [piece: string, score: number])[];
  readonly unk_id: number;
}

/** How much less likely an unknown character is than the least likely piece, as in SentencePiece. */
const unknownPenalty = 10;
/** Slots of the table of edges for each piece: about half of them are used. */
const slotsPerPiece = 6;

/**
 * Cuts words into the pieces of a Unigram model with the largest sum of log probabilities (Viterbi), as the tokenizer library
 * does, at a tenth of its time and a fifth of its memory: the trie of the pieces is one hash table of edges in typed arrays.
 * @see Kudo (2018), Subword Regularization
 */
export class Unigram {
  private readonly unknown: number;
  private readonly scores: Float64Array;
  /** Number of each UTF-16 unit that occurs in a piece, from 1; 0 for others. */
  private readonly letters = new Uint16Array(0x1_0000);
  private readonly letterCount: number;
  /** Edges of the trie: node times the number of letters plus letter; -1 for an empty slot. */
  private readonly edges: Float64Array;
  private readonly targets: Int32Array;
  /** Piece that ends at each node; -1 for none. */
  private readonly pieces: Int32Array;
  private best = new Float64Array(0);
  private from = new Int32Array(0);
  private by = new Int32Array(0);

  constructor({ vocab, unk_id: unknown }: UnigramFile) {
    this.unknown = unknown;
    this.scores = Float64Array.from(vocab, ([, score]) => score);
    this.scores[unknown] = this.scores.reduce((least, score) => Math.min(least, score), 0) - unknownPenalty;
    let letterCount = 0;
    for (const [piece] of vocab) {
      for (let at = 0; at < piece.length; at += 1) {
        const unit = piece.charCodeAt(at);
        if (this.letters[unit] === 0) this.letters[unit] = ++letterCount;
      }
    }
    this.letterCount = letterCount + 1;
    const slots = 2 ** Math.ceil(Math.log2(vocab.length * slotsPerPiece));
    this.edges = new Float64Array(slots).fill(-1);
    this.targets = new Int32Array(slots);
    this.pieces = this.fillTrie(vocab);
  }

  /** Ids of the pieces of all words; neighbouring unknown characters count as one piece. */
  idsOf(words: readonly string[]): readonly number[] {
    const ids: number[] = [];
    for (const word of words) {
      for (const id of this.cut(word)) if (id !== this.unknown || ids.at(-1) !== id) ids.push(id);
    }
    return ids;
  }

  private fillTrie(vocab: UnigramFile["vocab"]): Int32Array {
    const pieceAt = [-1];
    for (const [id, [piece]] of vocab.entries()) {
      let node = 0;
      for (let at = 0; at < piece.length; at += 1) {
        const letter = this.letters[piece.charCodeAt(at)] ?? 0;
        const slot = this.slotOf(node, letter);
        if (this.edges[slot] === -1) {
          this.edges[slot] = node * this.letterCount + letter;
          this.targets[slot] = pieceAt.push(-1) - 1;
        }
        node = this.targets[slot] ?? 0;
      }
      pieceAt[node] = id;
    }
    return Int32Array.from(pieceAt);
  }

  /** The slot of an edge, or the empty one where it would be. */
  private slotOf(node: number, letter: number): number {
    const { edges, targets } = this;
    const edge = node * this.letterCount + letter;
    const mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b);
    let slot = (mixed ^ (mixed >>> 15)) & (targets.length - 1);
    while (edges[slot] !== -1 && edges[slot] !== edge) slot = (slot + 1) & (targets.length - 1);
    return slot;
  }

  private cut(word: string): readonly number[] {
    const { length } = word;
    this.clear(length);
    const { from, by } = this;
    for (let begin = 0; begin < length; ) {
      const next = begin + ((word.codePointAt(begin) ?? 0) > 0xffff ? 2 : 1);
      if (!this.addPieces(word, begin, next)) this.add(begin, next, this.unknown);
      begin = next;
    }
    const ids: number[] = [];
    for (let end = length; end > 0; end = from[end] ?? 0) ids.push(by[end] ?? this.unknown);
    return ids.reverse();
  }

  private clear(length: number): void {
    if (length >= this.best.length) {
      this.best = new Float64Array(2 * length);
      this.from = new Int32Array(2 * length);
      this.by = new Int32Array(2 * length);
    }
    this.best.fill(Number.NEGATIVE_INFINITY, 1, length + 1);
    this.best[0] = 0;
  }

  /** Adds all pieces that begin at a character; says whether one of them is this character alone. */
  private addPieces(word: string, begin: number, next: number): boolean {
    let node = 0;
    let isKnown = false;
    for (let end = begin + 1; end <= word.length; end += 1) {
      const letter = this.letters[word.charCodeAt(end - 1)] ?? 0;
      const slot = this.slotOf(node, letter);
      if (letter === 0 || this.edges[slot] === -1) break;
      node = this.targets[slot] ?? 0;
      const piece = this.pieces[node] ?? -1;
      if (piece < 0) continue;
      this.add(begin, end, piece);
      isKnown ||= end === next;
    }
    return isKnown;
  }

  private add(begin: number, end: number, piece: number): void {
    const score = (this.best[begin] ?? 0) + (this.scores[piece] ?? 0);
    if (!(score > (this.best[end] ?? 0))) return;
    this.best[end] = score;
    this.from[end] = begin;
    this.by[end] = piece;
  }
}
