import { defaultLanguageRule as rule, languageName, languagesIn, primaryLanguage } from "../../../src/base/language.js";
import { assert, test } from "../../support/test.js";

for (const [text, ...languages] of [
  ["where is my parcel, it should have arrived", "en"],
  ["wo bleibt mein Paket, es sollte gestern ankommen", "de"],
  ["où est mon colis, il devait arriver hier", "fr"],
  ["лифт", "ru"],
  ["打开客厅的灯", "zh"],
  ["打开 the living room 的灯", "zh"],
  ["电梯坏了", "zh"],
  ["명령을 취소", "ko"],
  ["ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "und"],
  ["unlock dana.kim pls"],
  ["Paket"],
  ["please send the parcel to 王伟 in Leeds tomorrow morning", "en"],
  ["book a table at Trattoria Da Vittorio in Reggio Emilia for two", "en"],
  ["speel het album Wish You Were Here van Pink Floyd", "nl"],
  ["I WANT MY MONEY BACK NOW PLEASE", "en"],
  ["Δ"],
  [""],
] as const) {
  test(`"${text}" is read as ${languages.join(" or ") || "no language"}`, async () => {
    assert.equal(await languagesIn(text, rule), languages);
  });
}

test("the rule sets how few words are read, and how near a language must be to be possible", async () => {
  const [text, of] = ["hvor er min pakke nu", (words: number, lead: number) => ({ ...rule, leads: [{ words, lead }] })];
  assert.equal(await languagesIn(text, of(6, 0)), []);
  assert.equal(await languagesIn(text, of(5, 0)), ["da"]);
  const near = await languagesIn(text, of(5, 0.2));
  assert.ok(near.includes("da") && near.includes("no") && !near.includes("en"), near.join());
});

test("abbreviations and room numbers do not take a short English text for another language", async () => {
  for (const text of ["Hello, 4 bathrobes for 606 pls", "towels 101 asap thx"])
    assert.ok((await languagesIn(text, rule)).includes("en"), text);
});

test("a language has a name, and a tag its primary language", () => {
  assert.equal(["de", "xx"].map(languageName), ["German", "xx"]);
  assert.equal(["de-AT", "EN", "zh-Hant-TW"].map(primaryLanguage), ["de", "en", "zh"]);
});
