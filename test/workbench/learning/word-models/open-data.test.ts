import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readOpenData } from "../../../../workbench/learning/word-models/open-data.js";
import { inTemporaryFolder } from "../../../support/builders-artifacts.js";

const test = suite("workbench/learning/word-models/open-data");

const synset = (id: string, lemmas: readonly string[], definition: string) => {
  return { id, lemmas, definition, examples: [], hypernyms: [] };
};

test("senses that a dictionary marks as insults, and synonyms of their words, are not learned from", () =>
  inTemporaryFolder(async (cwd) => {
    const definitions = join(cwd, "definitions.tsv");
    const synonyms = join(cwd, "synonyms.tsv");
    await writeFile(
      definitions,
      "gronk\t(slang) offensive term for a neighbour\ngronk\tthe cry of a raven\noffence\tthe act of giving offence\n",
    );
    await writeFile(synonyms, "gronk\tneighbour\nneighbour\tBlarg\noffensive\trude\n");
    const synsets = [
      synset("1", ["Blarg"], "(ethnic slur) disparaging and offensive term for a person from the valley"),
      synset("2", ["offensive"], "causing anger or annoyance"),
    ];
    const card = { name: "lexicon", files: [], requests: 0, workflows: 2 };
    const { open } = await readOpenData({
      texts: [],
      pairs: [
        { kind: "synonym", path: synonyms },
        { kind: "definition", path: definitions },
      ],
      without: [],
      licences: undefined,
      lexicon: { synsets, card },
    });
    assert.equal(
      open.synsets.map(({ id }) => id),
      ["2"],
    );
    assert.equal(
      open.pairs.map(({ rows }) => rows),
      [
        [["offensive", "rude"]],
        [
          ["gronk", "the cry of a raven"],
          ["offence", "the act of giving offence"],
        ],
      ],
    );
  }));

test.run();
