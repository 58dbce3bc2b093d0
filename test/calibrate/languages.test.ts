import { describeLanguages } from "../../reports/text/calibration-text.js";
import { languagesOf, withRoutes } from "../../calibrate/languages.js";
import { assert, test } from "../support/test.js";
import { aCalibration, aRecord } from "../support/score-cases.js";

const fit = { languages: null, target_risk: 0.1, delta: 0.05 };
/** Names with a slash are texts that may be in both languages. */
const records = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).flatMap(([language, count]) =>
    Array.from({ length: count }, (_, n) =>
      aRecord({ id: `${language}-${n}`, ...(language === "short" ? {} : { languages: language.split("/") }) }),
    ),
  );

test("the claim covers the most frequent language, and others whose requests could test the target alone", () => {
  const found = languagesOf(records({ short: 50, en: 60, "ms/en": 10, de: 29, fr: 28 }), fit);
  assert.equal(found, {
    covered: ["en", "de"],
    read: [
      { language: "en", requests: 70 },
      { language: "de", requests: 29 },
      { language: "fr", requests: 28 },
    ],
    requests: 177,
    declined: 28,
  });
});

test("few texts of a large project, which can be misread, cover no language", () => {
  assert.equal(languagesOf(records({ de: 870, en: 130 }), fit)?.covered, ["de"]);
});

test("without enough texts to tell, no language is covered; a stated one always is", () => {
  assert.is(languagesOf(records({ short: 100, en: 19 }), fit), undefined);
  assert.equal(languagesOf(records({ short: 100, en: 19 }), { ...fit, languages: ["de"] })?.covered, ["de"]);
});

test("routes are counted by language, so that a claim about several hides none", () => {
  const thresholds = { ...aCalibration(), languages: { covered: ["en", "de"] } };
  const tested = [
    aRecord({ id: "1", languages: ["en"] }),
    aRecord({ id: "2", languages: ["en", "ms"] }),
    aRecord({ id: "3", languages: ["de"], workflow_id: null }),
    aRecord({ id: "4", languages: ["fr"] }),
    aRecord({ id: "5" }),
  ].map((record) => ({ record, calibrator: thresholds.calibrator }));
  const read = ["en", "de", "fr"].map((language) => ({ language, requests: 1 }));
  const found = withRoutes({ covered: ["en", "de"], read, requests: 4, declined: 1 }, tested, thresholds);
  assert.equal(
    found.read.map(({ language, routed, wrong }) => [language, routed, wrong]),
    [
      ["en", 2, 0],
      ["de", 1, 1],
      ["fr", 0, 0],
    ],
  );
});

test("the texts about a calibration name each language of a claim about several, and those that it leaves out", () => {
  const read = ["en", "de", "fr"].map((language) => ({ language, requests: 40, routed: 20, wrong: 2 }));
  const said = (covered: readonly string[]) =>
    describeLanguages({ ...aCalibration(), languages: { covered, read, requests: 120, declined: 40 } }).join(" ");
  assert.match(
    said(["en", "de"]),
    /in English and German\..* 40 of 120 .*: English 2 wrong of 20 routed, German 2 wrong/,
  );
  assert.match(said(["en", "de"]), /seem to be in another language: French 40\./);
  assert.not.match(said(["en"]), "together");
});
