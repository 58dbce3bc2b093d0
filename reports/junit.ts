/** A gate, reported as a test case. */
export interface JUnitCase {
  readonly name: string;
  readonly verdict: "pass" | "fail" | "not_shown";
  readonly message: string;
}

/** Characters that XML 1.0 cannot represent. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function attribute(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text
    .replace(forbidden, "\uFFFD")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "")
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Gates as JUnit XML for CI servers, one test case per gate. A gate that failed or has too little evidence is a
 * failure.
 * @param suite  name of the test suite, e.g. the command
 */
export function junitXml(suite: string, gates: readonly JUnitCase[]): string {
  const failures = gates.filter(({ verdict }) => verdict !== "pass").length;
  const counts = `tests="${gates.length}" failures="${failures}" errors="0" skipped="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${attribute(suite)}" ${counts}>`,
    ...gates.flatMap((gate) => testCase(suite, gate)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(suite: string, { name, verdict, message }: JUnitCase): readonly string[] {
  const open = `    <testcase classname="${attribute(suite)}" name="${attribute(name)}"`;
  if (verdict === "pass") return [`${open}/>`];
  return [`${open}>`, `      <failure type="${verdict}" message="${attribute(message)}"/>`, "    </testcase>"];
}
