import { suite } from "uvu";
import * as assert from "uvu/assert";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { countCoOccurrences } from "../../../../workbench/fit/words/co-occurrence.js";
import { readCorpus } from "../../../../workbench/fit/words/corpus.js";
import type { FitCorpus, FitData, FitPairs } from "../../../../workbench/fit/words/fit-data.js";
import { fitIdentity } from "../../../../workbench/fit/words/fit-identity.js";
import { noCheckpoint } from "../../../../workbench/fit/words/fit-state.js";
import { fitWordVectors } from "../../../../workbench/fit/words/fit-word-vectors.js";
import { workflowFolds } from "../../../../workbench/fit/words/hold-out.js";
import { lemmaTexts } from "../../../../workbench/fit/words/lemma-texts.js";
import { pairBlocks } from "../../../../workbench/fit/words/training-pairs.js";
import { withPool } from "../../../support/pools.js";
import { smallFitData, smallFitSettings } from "../../../support/small-fit.js";

const test = suite("workbench/fit/words/open-text");

const corpus = (kind: FitCorpus["kind"], weight: number, ...texts: readonly string[]): FitCorpus => {
  return { kind, weight, texts: lemmaTexts(texts) };
};
const intents: FitPairs = {
  kind: "intent",
  rows: ["bitcoin", "wallet", "pdf"].flatMap((word) =>
    [1, 2, 3].map((n) => [word, `open ${word} number ${"x".repeat(n)}`] as const),
  ),
};
const titles: FitPairs = {
  kind: "title",
  rows: [
    ["cancel", "cancel your flight on paper"],
    ["replace", "we replace your card by paper"],
  ],
};
const open: FitData = {
  ...smallFitData,
  corpora: [
    corpus("dialogue", 1, "my bitcoin is gone", "sell bitcoin", "a hapax"),
    corpus("documents", 0.5, ...Array.from({ length: 20 }, () => "the spreadsheet of a rarity")),
    corpus("documents", 0.5, "an uncommon word"),
  ],
  pairs: [intents, titles],
};

test("a word counts once in the project's data, twice in dialogue, 20 times in documents, or as a seen lexicon word", () => {
  const { lemmas, counts } = readCorpus(open, 1000).vocabulary;
  for (const word of ["cancel", "bitcoin", "spreadsheet", "wallet"]) assert.ok(lemmas.includes(word), word);
  for (const word of ["hapax", "uncommon", "paper"]) assert.not.ok(lemmas.includes(word), word);
  assert.is(counts[lemmas.indexOf("spreadsheet")], 10);
  assert.is(counts[lemmas.indexOf("bitcoin")], 5);
  assert.equal(readCorpus(open, 3).vocabulary.lemmas, lemmas.slice(0, 3));
});

test("words of open text stand together with the weight of the text, within the window", () => {
  const data: FitData = {
    requests: [{ text: "a b c d", workflow: null }],
    workflows: [],
    synsets: [],
    corpora: [corpus("documents", 0.5, "a x b c d", "d a")],
  };
  const read = readCorpus(data, 100);
  const settings = { window: 2, request: 1, synonym: 0, hypernym: 0, defined: 0, definition: 0, example: 0 };
  const { first, second, weights } = countCoOccurrences(read, settings).sorted();
  const found = new Map(
    Array.from(weights, (weight, i) => {
      const names = [first[i], second[i]].map((row) => read.vocabulary.lemmas[row ?? -1] ?? "");
      return [names.toSorted((a, b) => a.localeCompare(b)).join(""), weight];
    }),
  );
  assert.equal(Object.fromEntries(found), { ab: 1.5, ac: 1.5, ad: 0.5, bc: 1.5, bd: 1.5, cd: 1.5 });
});

test("intents of other projects form a separate block, with at most one pair per group", () => {
  const blocks = pairBlocks(readCorpus(open, 1000));
  assert.equal(
    blocks.map(({ kind }) => kind),
    ["lexicon", "workflow", "intent", "title"],
  );
  const pairs = blocks.find(({ kind }) => kind === "intent")?.draw(64, seededRandom(1)) ?? [];
  assert.is(pairs.length, 3);
  for (const { left, right } of pairs) {
    assert.is(left[1], right[1]);
    assert.not.equal([...left], [...right]);
  }
});

test("a fold reads no text of a held-out workflow, wherever it stands", () => {
  const [request] = smallFitData.requests;
  const text = request?.text ?? "";
  const data: FitData = {
    ...open,
    corpora: [corpus("dialogue", 1, text, "something else")],
    pairs: [
      {
        kind: "intent",
        rows: [
          ["g", text],
          ["g", "something else"],
        ],
      },
    ],
  };
  const folds = workflowFolds(data, 2, seededRandom(1));
  const lines = folds.map(({ fit }) => [fit.corpora?.[0]?.texts.starts.length, fit.pairs?.[0]?.rows.length]);
  const holding = folds.findIndex(({ requests }) => requests.some((held) => held.text === text));
  assert.equal(lines[holding], [2, 1]);
  assert.equal(lines[1 - holding], [3, 2]);
});

test("open text changes the vectors, equal data give equal bytes, and a weight is part of the identity", () =>
  withPool({}, async (pool) => {
    const fit = (data: FitData) =>
      fitWordVectors(data, {
        settings: { ...smallFitSettings, contrastive: { ...smallFitSettings.contrastive, steps: 20 } },
        seed: 1,
        checkpoint: { store: noCheckpoint, identity: "open" },
        pool,
        onProgress: () => {},
        signal: new AbortController().signal,
      });
    const one = await fit(open);
    assert.equal((await fit(open)).values, one.values);
    assert.not.equal((await fit(smallFitData)).values, one.values);
    const heavier = { ...open, corpora: [corpus("dialogue", 2, "my bitcoin is gone")] };
    const lighter = { ...open, corpora: [corpus("dialogue", 1, "my bitcoin is gone")] };
    assert.not.equal(fitIdentity(heavier, smallFitSettings, 1), fitIdentity(lighter, smallFitSettings, 1));
    assert.is(fitIdentity(open, smallFitSettings, 1), fitIdentity({ ...open }, smallFitSettings, 1));
  }));

test.run();
