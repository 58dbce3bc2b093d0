import { textOf } from "../../../src/base/invocation.js";
import { languageWarnings } from "../../../datasets/sources/parse-source.js";
import { cleanText, textWarnings } from "../../../datasets/sources/text-checks.js";
import { assert, test } from "../../support/test.js";

const mail = [
  "Hello desk,",
  "",
  "the lift is stuck again.",
  "",
  "Kind regards",
  "Ida",
  "-- ",
  "Ida Example, 3rd floor",
  "",
  "On Mon, 3 Jun 2024 at 10:00, Desk <desk@example.org> wrote:",
  "> Dear Ida,",
  "> it works again.",
].join("\n");

test("quoted emails, signatures and HTML are taken out, and the request stays", () => {
  assert.is(cleanText(mail), "Hello desk,\n\nthe lift is stuck again.");
  assert.is(
    cleanText("<div><p>the lift&nbsp;is <b>stuck</b></p><br/>again &amp; again</div>"),
    "the lift is stuck\nagain & again",
  );
  assert.is(cleanText("a < b and c > d"), "a < b and c > d");
  assert.is(cleanText("> only a quote"), "> only a quote");
  assert.is(cleanText("<html><body></body></html>"), "<html><body></body></html>");
});

test("thanks or a closing with one to three short lines below, at the very end, is a signature, and nothing else is", () => {
  const cut = [
    "The invoice has the wrong address.\n\nThanks,\nPeter Ahmed",
    "Where is my bag?\n\nMany thanks in advance,\n\nMette Petrov\n+45 30 55 58 90",
    "Please move us to Friday.\n\nBR\nJ. van der Berg",
    "Someone hit my car.\nKind regards, Lena Vogt",
    "Please send the papers again.\n\nThanks, J. Šimek",
    "Could we bring our cat?\n\nThank you\nIda\nFlat 3B",
    "Meine Heizung ist kalt.\n\nVielen Dank\nJürgen Groß",
    "The lift is stuck again.\n\nMit freundlichen Grüßen\nIda Example\nExample GmbH\nLong Street 3\n12345 Town",
  ];
  for (const text of cut) assert.is(cleanText(text), text.split("\n")[0]);
  const kept = [
    "Thanks,\nPeter Ahmed",
    "Hello team,\n\nThanks,\nPeter Ahmed",
    "Hi,\n\nThanks\nplease cancel the second room",
    "I lost the voucher.\n\nThanks,\nCan you send it to my wife?",
    "I lost the voucher.\n\nThank you\nPlease send it again",
    "I lost the voucher.\n\nThanks,\nBooking KWJU99",
    "I lost the voucher.\nThanks",
    "I lost the voucher.\nThanks, please send it again",
    "Kind regards, Lena Vogt",
    "Thanks for the voucher.\nPeter",
    "Which is best?\nBest\nWestern or Hilton",
    "Stop the heating.\n\nKind regards\nIda\n\nPS: the lift is stuck too",
    "Is the pool open?\n\nRegards\nIda\nAnd is breakfast included?",
    "Dear Sir or Madam,\n\nKind regards\nIda",
  ];
  for (const text of kept) assert.is(cleanText(text), text);
});

test("each kind of text that is no request is warned of, with its share and three places", () => {
  const texts = (all: readonly string[]) =>
    all.map((text, row) => ({ file: "t.csv", at: `line ${row}`, text, label: "x", part: null }));
  const warned = textWarnings(
    texts([mail, mail, mail, mail, "the lift is stuck", "<p>hi there</p>", "电梯坏了", "a\nb\nc\nd\ne\nf\ng\nh"]),
  );
  const said = warned.map((warning) => textOf(warning)).join("\n");
  assert.match(
    said,
    /4 of 8 texts \(50%\) contain quoted emails or signatures\..*line 0, line 1, line 2\. To remove them: sluice init FILE --clean/,
  );
  assert.match(said, /1 of 8 texts \(13%\) contain HTML, /);
  assert.match(said, /1 of 8 texts \(13%\) have 8 lines or more, /);
  assert.not.match(said, "stuck");
  assert.equal(textWarnings(texts(["the lift is stuck", "große Tür, café", "a\n\nb\n\nc\n\nd\n\ne\n"])), []);
});

test("a share of texts that are not in English is said; English texts are not", async () => {
  const texts = (all: readonly string[]) =>
    all.map((text, row) => ({ file: "t.csv", at: `line ${row}`, text, label: "x", part: null }));
  const english = ["where is my parcel today", "please reset my password now", "I want to cancel my order"];
  const german = ["ich möchte mein Paket verfolgen lassen", "bitte setzen Sie mein Kennwort zurück"];
  const [warning = ""] = await languageWarnings(texts([...english, ...german]));
  assert.match(textOf(warning), /^2 of 5 texts \(40%\) do not seem to be in English \(German 2\)/);
  assert.match(textOf(warning), "line 3, line 4.");
  assert.equal(await languageWarnings(texts(english)), []);
  assert.not.match(textOf(warning), "--models");
  const [foreign = ""] = await languageWarnings(texts(["电梯坏了"]));
  assert.match(textOf(foreign), /^1 of 1 text \(100%\) .* \(Chinese 1\).*: sluice init FILE --models multilingual$/);
});
