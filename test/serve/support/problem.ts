import * as assert from "uvu/assert";
import { errorCodes } from "../../../src/base/error-codes.js";
import type { Answer } from "./http.js";

/** Whether an answer is the problem of a code, in the one shape and with the headers that every problem has. */
export function assertProblem(answer: Answer, status: number, code: keyof typeof errorCodes): void {
  assert.is(answer.status, status);
  assert.is(answer.headers["content-type"], "application/problem+json");
  assert.is(answer.body["type"], "about:blank");
  assert.is(answer.body["title"], errorCodes[code].meaning);
  assert.is(answer.body["status"], status);
  assert.is(answer.body["code"], code);
  assert.is(answer.body["request_id"], answer.headers["x-request-id"]);
  assert.is(answer.headers["cache-control"], "no-store");
  assert.is(answer.headers["x-content-type-options"], "nosniff");
  assert.is(answer.headers["x-frame-options"], "DENY");
  const members = ["type", "title", "status", "code", "request_id", ...(status === 422 ? ["errors"] : [])];
  assert.equal(Object.keys(answer.body), members);
}
