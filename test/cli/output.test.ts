import { terminalText } from "../../cli/output.js";
import { assert, test } from "../support/test.js";

test("characters that hide, reorder or move text on a terminal are written as numbers", () => {
  assert.is(
    terminalText("a\u202eb\u200bc\u001b[2Jd\re\u2066\ufeff"),
    "a\\u{202e}b\\u{200b}c\\u{1b}[2Jd\\u{d}e\\u{2066}\\u{feff}",
  );
});

test("tabs, line ends, accents, other scripts and joined emoji are shown as they are", () => {
  const text = "a\tb\nÄ 退款 می\u200cخواهم 👩\u200d💻";
  assert.is(terminalText(text), text);
});
