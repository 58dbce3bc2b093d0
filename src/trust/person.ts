/** Matches spaces, control characters and all other invisible characters. */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Normalised id of a person: Unicode NFKC without invisible characters. Ids that look the same to a reader denote the
 * same person.
 */
export function personKey(id: string): string {
  return id.normalize("NFKC").replace(invisible, "").normalize("NFKC");
}
