import { SluiceError } from "../../errors/error.js";

/** Lemmas with the number of times that the training texts hold them, in row order. */
export interface Vocabulary {
  readonly lemmas: readonly string[];
  readonly counts: readonly number[];
}

/** One line "lemma count" for each row. */
export const vocabularyBytes = ({ lemmas, counts }: Vocabulary): Buffer =>
  Buffer.from(lemmas.map((lemma, row) => `${lemma} ${counts[row] ?? 0}\n`).join(""), "utf8");

const linePattern = /^(\S+) ([1-9]\d{0,14})$/;

/** @param what  how the reader knows the file @throws {SluiceError} MODEL_INVALID naming the first line that is wrong */
export function parseVocabulary(bytes: Buffer, what: string): Vocabulary {
  const lines = bytes.toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const countOf = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const [, lemma, count] = linePattern.exec(line) ?? [];
    if (lemma === undefined || countOf.has(lemma)) {
      throw new SluiceError("MODEL_INVALID", `${what}: line ${index + 1} is not a new lemma and its count`, {
        hint: "Restore the file from the fit that the model came from.",
      });
    }
    countOf.set(lemma, Number(count));
  }
  return { lemmas: [...countOf.keys()], counts: [...countOf.values()] };
}
