import { Type } from "typebox";
import { schemaProblems } from "../../src/domain/check-schema.js";
import { SluiceError } from "../../src/errors/error.js";
import { BadRows } from "../bad-rows.js";
import { jsonLines } from "../read-jsonl.js";
import { unpacked } from "../read-lines.js";
import type { SourceFile } from "./imported-dataset.js";

/** A set of synonyms of the lexicon. */
export interface Synset {
  readonly id: string;
  readonly lemmas: readonly string[];
  readonly definition: string;
  readonly examples: readonly string[];
  /** Ids of wider synsets. */
  readonly hypernyms: readonly string[];
}

const SynsetSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  lemmas: Type.Array(Type.String()),
  definition: Type.String(),
  examples: Type.Array(Type.String()),
  hypernyms: Type.Array(Type.String()),
});

/** What a model card says of a lexicon in this form. */
export const wordnetLicence = "CC BY 4.0 and the WordNet licence";

/**
 * Synsets of Open English WordNet, one JSON object per line with id, lemmas, definition, examples and hypernyms
 * (ids); other fields are ignored. The file may be compressed by gzip.
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID by line and field; DATASET_EMPTY
 */
export function readSynsets({ file, bytes }: SourceFile): readonly Synset[] {
  const bad = new BadRows();
  const synsets: Synset[] = [];
  for (const { line, value } of jsonLines(unpacked(bytes, file), file, bad)) {
    const problems = schemaProblems(SynsetSchema, value);
    for (const { path, rule } of problems) {
      bad.add({ file, at: `line ${line}`, column: path.slice(1), rule, code: "SCHEMA_INVALID" });
    }
    if (problems.length > 0) continue;
    const { id, lemmas, definition, examples, hypernyms } = value as Synset;
    synsets.push({ id, lemmas, definition, examples, hypernyms });
  }
  bad.settle("Give synsets.jsonl of Open English WordNet.");
  if (synsets.length === 0) throw new SluiceError("DATASET_EMPTY", `${file}: no synsets`);
  return synsets;
}
