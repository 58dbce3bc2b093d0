import { parseTraceparent } from "../../../serve/tracing/request-trace.js";
import { assert, test } from "../../support/test.js";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

test("a version 00 header gives the trace, the caller's span and the sampling flag", () => {
  assert.equal(parseTraceparent(`00-${traceId}-${parentId}-01`), { traceId, parentId, sampled: true });
  assert.equal(parseTraceparent(`00-${traceId}-${parentId}-00`)?.sampled, false);
  assert.equal(parseTraceparent(`00-${traceId}-${parentId}-03`)?.sampled, true);
});

test("a later version may go on after its flags", () => {
  assert.is(parseTraceparent(`cc-${traceId}-${parentId}-01-what-comes`)?.traceId, traceId);
});

for (const header of [
  undefined,
  "",
  `00-${traceId}-${parentId}`,
  `ff-${traceId}-${parentId}-01`,
  `00-${traceId}-${parentId}-01-more`,
  `00-${"0".repeat(32)}-${parentId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${traceId}-${parentId}-1`,
]) {
  test(`no context: ${String(header)}`, () => assert.is(parseTraceparent(header), null));
}
