/** How many requests that a workflow serves each shipped guard would turn away, on two public datasets. */
import { readFileSync } from "node:fs";
import type { TextGuard } from "../../../../../src/documents/guard.js";
import { compileGuards } from "../../../../../src/router/policy/guards/compile-guards.js";
import { multiActionEn1 } from "../../../../../stages/evaluate/guards/multi-action-en-1.js";
import { openEndedEn1 } from "../../../../../stages/evaluate/guards/open-ended-en-1.js";
import { assert, shared, test, testWithShared } from "../../../../support/test.js";

/** Largest accepted share of in-scope requests. */
const largestShare = 0.01;

interface Row {
  readonly text: string;
  readonly split: string;
}

function bankingTexts(): readonly string[] {
  const lines = readFileSync(shared("data", "banking77", "data.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Row);
  return rows.filter((row) => row.split === "test").map((row) => row.text);
}

function clincTexts(): readonly string[] {
  const raw = JSON.parse(readFileSync(shared("data", "clinc150", "raw", "data_full.json"), "utf8")) as {
    readonly test: readonly (readonly [text: string, label: string])[];
  };
  return raw.test.map(([text]) => text);
}

function shareOf(guard: TextGuard, texts: readonly string[]): number {
  const [compiled] = compileGuards([guard]);
  return texts.filter((text) => compiled?.stops(text)).length / texts.length;
}

for (const guard of [openEndedEn1, multiActionEn1]) {
  testWithShared(test, `${guard.guard_id} turns away at most 1% of BANKING77 and of CLINC150`, () => {
    assert.ok(shareOf(guard, bankingTexts()) <= largestShare);
    assert.ok(shareOf(guard, clincTexts()) <= largestShare);
  });
}
