import { counted } from "../../src/documents/number-text.js";

/** Formats a share, e.g. `3 of 12 texts (25%)`. */
export const shareOf = (count: number, all: number): string =>
  `${count} of ${counted(all, "text")} (${Math.round((100 * count) / all)}%)`;
