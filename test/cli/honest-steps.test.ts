import { textOf } from "../../src/base/invocation.js";
/** Next steps, remedies and sentences that follow from what was found. */
import { resolve } from "node:path";
import { describeTraffic } from "../../reports/text/calibration-text.js";
import { trustLines } from "../../cli/commands/trust/create.js";
import { draftWorkflow, unstatedEffect } from "../../datasets/draft/draft-workflow.js";
import { problem, problemsError } from "../../src/trust/verify/problem.js";
import type { ErrorCode } from "../../src/base/error-codes.js";
import type { Traffic } from "../../src/documents/calibration.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { auditAdvice } from "../../stages/project/release-step.js";
import { readInput } from "../../src/base/files.js";
import { assert, rejects, test } from "../support/test.js";
import { testTrust } from "../support/builders-artifacts.js";

test("key ids are shown whole where people compare them", () => {
  const lines = trustLines("trust.json", testTrust()).join("\n");
  for (const { keys } of testTrust().principals) for (const { key_id: id } of keys) assert.match(lines, id);
});

test("a drafted workflow has the effect that init states", () => {
  const drafted = draftWorkflow({
    workflowId: "order.cancel" as WorkflowId,
    label: "cancel",
    source: null,
    examples: [],
    owner: null,
    tier: "medium",
  });
  assert.equal([drafted.side_effect, drafted.confirmation], [unstatedEffect, "always"]);
});

test("traffic of which nothing is known is not shown as nothing routed", () => {
  const point = (outOfScopeShare: number, coverage: number | null) => {
    return {
      out_of_scope_share: outOfScopeShare,
      coverage,
      false_route_rate: coverage === null ? null : 0,
      upper_bound: null,
    };
  };
  const traffic = (sensitivity: Traffic["sensitivity"]): { readonly traffic: Traffic } => {
    return { traffic: { declared: false, expected: point(0, 0.8), sensitivity } };
  };
  const unknown = describeTraffic(traffic([point(0.01, null), point(0.6, null)]));
  assert.is(unknown.at(-1), "Other traffic: unknown, because no out-of-scope request was tested.");
  assert.is(unknown.length, 2);
  assert.match(describeTraffic(traffic([point(0.01, null), point(0.6, 0)])).at(-2) ?? "", /1.00% +unknown +unknown/);
});

test("the hint of a refused bundle is the remedy of its first problem", () => {
  const hintOf = (code: ErrorCode): string => problemsError("bundle", [problem(code, "f", "x")]).hint ?? "";
  assert.match(hintOf("REVOKED"), "Release another bundle");
  assert.match(hintOf("APPROVAL_MISMATCH"), "Collect approvals for this bundle and environment");
  assert.match(hintOf("THRESHOLD_NOT_MET"), "sluice approve");
  assert.match(hintOf("HASH_MISMATCH"), "Copy the named files");
  assert.match(hintOf("FILE_EXTRA"), /^Remove the extra file.* bundle export --replace$/);
});

test("a file that is missing is named with the place where it was looked for", async () => {
  const error = await rejects(readInput("nowhere/pass"), "FILE_NOT_FOUND");
  assert.is(error.message, `nowhere/pass: no such file (looked for ${resolve("nowhere/pass")})`);
  assert.not.match((await rejects(readInput("/nowhere/pass"), "FILE_NOT_FOUND")).message, "looked for");
});

test("an audit that misses requests out of scope says what to add", () => {
  const finding = (check: string, count: number) =>
    ({ check, count, meaning: "", share: 0, limit: { from: 0, to: 1 }, passed: false, examples: [] }) as never;
  const findings = [finding("out_of_scope_share", 0), finding("label_conflict", 2)];
  assert.match(
    textOf(auditAdvice({ findings }, ["out_of_scope_share"])),
    /^Add requests that no workflow handles[^.]*$/,
  );
  assert.is(textOf(auditAdvice({ findings }, ["label_conflict"])), "Correct the rows that sluice dataset audit lists");
});
