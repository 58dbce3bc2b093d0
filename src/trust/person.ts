/** Spaces, control characters and everything else that a reader does not see. */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * What two ids of one person have in common: Unicode NFKC without invisible characters. Ids that look the same to a
 * reader are the same person.
 */
export function personKey(id: string): string {
  return id.normalize("NFKC").replace(invisible, "").normalize("NFKC");
}
