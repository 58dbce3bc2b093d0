import type { RouteRequest } from "../documents/request.js";
import type { RouteResponse } from "../documents/response.js";
import type { Router } from "../documents/router.js";
import { GoldenSchema, type Golden } from "../documents/signed.js";
import { SluiceError } from "../base/error.js";
import { parseDocument } from "./parse-document.js";

/** A request of the golden file, as sent by a caller who may use every workflow. */
export function goldenRequest(text: string, router: Pick<Router, "lineage" | "workflowIds">): RouteRequest {
  return {
    request_id: "golden",
    text,
    context: {},
    catalog_version: router.lineage.catalog_version,
    allowed_workflow_ids: [...router.workflowIds],
    blocked_workflow_ids: [],
    event_type: null,
    language: null,
    debug: false,
  };
}

/** @throws {SluiceError} DOCUMENT_INVALID */
export function parseGolden(bytes: Uint8Array): Golden {
  return parseDocument(GoldenSchema, bytes, "golden.json");
}

/**
 * Reasons that a newly started process may give because the first work takes longer than a limit, or because files that
 * were only touched are still being read again.
 */
const passingReasons: ReadonlySet<string> = new Set([
  "INPUT_EXTRACTION_TIMEOUT",
  "BACKEND_UNAVAILABLE",
  "RUNTIME_INTEGRITY_FAILURE",
]);
/** Number of attempts if a request gets one of these reasons although its signed decision has another reason. */
const attempts = 5;

async function answerOf(router: Router, { text, reason_code }: Golden["cases"][number]): Promise<RouteResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await router.route(goldenRequest(text, router));
    const mayPass = passingReasons.has(answer.reason_code) && answer.reason_code !== reason_code;
    if (!mayPass || attempt === attempts) return answer;
  }
}

/**
 * Routes every golden request and compares the result with the signed decision. Retries a request that took too long,
 * because code is slow when it runs for the first time.
 * @throws {SluiceError} WARMUP_FAILED  identifies the cases by number, never by text
 */
export async function checkGolden(router: Router, golden: Golden): Promise<void> {
  const different: string[] = [];
  for (const [index, expected] of golden.cases.entries()) {
    const actual = await answerOf(router, expected);
    const same =
      actual.decision === expected.decision &&
      actual.workflow_id === expected.workflow_id &&
      actual.reason_code === expected.reason_code &&
      Math.abs(actual.confidence - expected.confidence) <= golden.tolerance;
    if (!same) {
      const was = `${actual.decision}/${actual.reason_code} at ${actual.confidence}`;
      different.push(
        `case ${index + 1}: ${was}, signed ${expected.decision}/${expected.reason_code} at ${expected.confidence}`,
      );
    }
  }
  if (different.length === 0) return;
  const message = `${different.length} of ${golden.cases.length} golden decisions differ: ${different.join("; ")}`;
  const problems = router.integrityProblems();
  if (problems.length > 0) {
    throw new SluiceError("WARMUP_FAILED", `${message}. The bundle is not ready: ${problems.join("; ")}`, {
      hint: "Remove the named problem, and start again.",
    });
  }
  throw new SluiceError("WARMUP_FAILED", message, {
    hint: "The runtime does not reproduce the signed scores: use the ONNX Runtime version that the manifest names.",
  });
}
