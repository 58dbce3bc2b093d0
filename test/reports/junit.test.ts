import { junitXml } from "../../reports/junit.js";
import { assert, test } from "../support/test.js";
import { parseXml } from "../support/parse-xml.js";

const awkward = "coverage<=0.5 & \"quoted\" > 'x' ]]>\u0001\n\u2028🙂\uD800";

test("a file is well-formed whatever a gate is called, and its counts agree with its cases", () => {
  const xml = junitXml("sluice eval <run>", [
    { name: "coverage>=0.3", verdict: "pass", message: "coverage is 0.4" },
    { name: awkward, verdict: "fail", message: awkward },
    { name: "certified", verdict: "not_shown", message: "no calibration decides" },
  ]);
  const root = parseXml(xml);
  assert.is(root.name, "testsuites");
  const [suiteElement] = root.children;
  assert.equal(suiteElement?.attributes, {
    name: "sluice eval <run>",
    tests: "3",
    failures: "2",
    errors: "0",
    skipped: "0",
  });
  const [passed, failed, open] = suiteElement?.children ?? [];
  assert.equal(passed?.attributes, { classname: "sluice eval <run>", name: "coverage>=0.3" });
  assert.equal(passed?.children, []);
  const shown = awkward.replace("\u0001", "\uFFFD").replace("\uD800", "\uFFFD");
  assert.is(failed?.attributes["name"], shown);
  assert.equal(failed?.children[0]?.attributes, { type: "fail", message: shown });
  assert.equal(open?.children[0]?.attributes, { type: "not_shown", message: "no calibration decides" });
});

test("without gates the suite is empty", () => {
  const root = parseXml(junitXml("sluice run", []));
  assert.is(root.attributes["tests"], "0");
  assert.equal(root.children[0]?.children, []);
});

for (const [what, xml] of [
  ["an unescaped attribute", '<a b="<"/>'],
  ["an unknown entity", '<a b="&x;"/>'],
  ["an element that is not closed", "<a><b></a>"],
  ["two roots", "<a/><b/>"],
  ["an attribute given twice", '<a b="1" b="2"/>'],
  ["a control character", '<a b="\u0001"/>'],
] as const) {
  test(`the reader of these tests refuses ${what}`, () => {
    assert.throws(() => parseXml(xml), /not well-formed/);
  });
}
