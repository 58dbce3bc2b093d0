/** How ids are printed; every command accepts this form. */
export const shortId = (sha256: string): string => sha256.slice(0, 12);
