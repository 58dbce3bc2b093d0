import { newTraceId } from "../../../serve/tracing/request-trace.js";
import { assert, test } from "../../support/test.js";

test("ids have the length that was asked for, and none comes twice, also over several draws", () => {
  const ids = Array.from({ length: 4000 }, (_, index) => newTraceId(index % 2 === 0 ? 8 : 16));
  assert.is(new Set(ids).size, ids.length);
  for (const [index, id] of ids.entries()) assert.match(id, index % 2 === 0 ? /^[0-9a-f]{16}$/ : /^[0-9a-f]{32}$/);
});
