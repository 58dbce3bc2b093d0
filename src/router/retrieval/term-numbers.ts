/** Numbers terms in order of arrival, and then by their positions in the sorted vocabulary. */
export class TermNumbers {
  private readonly ids = new Map<string, number>();

  /** Number of a term, in order of arrival. */
  idOf(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(term, id);
    return id;
  }

  /**
   * The sorted terms, and the position of each number among them, so that nothing depends on the order of the texts.
   */
  sorted(): { readonly vocabulary: readonly string[]; readonly places: Int32Array } {
    const vocabulary = [...this.ids.keys()].sort();
    const places = new Int32Array(vocabulary.length);
    for (const [place, term] of vocabulary.entries()) places[this.ids.get(term) ?? 0] = place;
    return { vocabulary, places };
  }
}
