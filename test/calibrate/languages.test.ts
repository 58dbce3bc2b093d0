import { languagesOf } from "../../calibrate/languages.js";
import { assert, test } from "../support/test.js";
import { aRecord } from "../support/score-cases.js";

const fit = { languages: null, target_risk: 0.1, delta: 0.05 };
/** Names with a slash are texts that may be in both languages. */
const records = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).flatMap(([language, count]) =>
    Array.from({ length: count }, (_, n) =>
      aRecord({ id: `${language}-${n}`, ...(language === "short" ? {} : { languages: language.split("/") }) }),
    ),
  );

test("the claim covers the most frequent language, and others whose requests could test the target alone", () => {
  const found = languagesOf(records({ short: 50, en: 190, "ms/en": 10, de: 29, fr: 28 }), fit);
  assert.equal(found, {
    covered: ["en", "de"],
    read: [
      { language: "en", requests: 200 },
      { language: "de", requests: 29 },
      { language: "fr", requests: 28 },
    ],
    requests: 307,
    declined: 28,
  });
});

test("few texts of a large project, which can be misread, cover no language", () => {
  assert.equal(languagesOf(records({ en: 1000, de: 50 }), fit)?.covered, ["en"]);
});

test("without enough texts to tell, no language is covered; a stated one always is", () => {
  assert.is(languagesOf(records({ short: 100, en: 19 }), fit), undefined);
  assert.equal(languagesOf(records({ short: 100, en: 19 }), { ...fit, languages: ["de"] })?.covered, ["de"]);
});
