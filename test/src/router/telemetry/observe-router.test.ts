import { LoggingTelemetrySink } from "../../../../src/router/telemetry/logging-sink.js";
import { observeRouter } from "../../../../src/router/telemetry/observe-router.js";
import { assert, test } from "../../../support/test.js";
import { fixtureRouter } from "../../../serve/support/fixture-router.js";
import { RecordingSink } from "../../../serve/support/http.js";

const request = {
  request_id: "r1",
  text: "block my secret card",
  context: { note: "private" },
  catalog_version: "cat-1",
  allowed_workflow_ids: ["card.block"],
  blocked_workflow_ids: [],
  event_type: null,
  language: null,
  debug: false,
};

test("each answered request gives one decision event, without text and context", async () => {
  const sink = new RecordingSink();
  const response = await observeRouter(fixtureRouter(), sink, Buffer.from("key")).route(request);
  assert.is(sink.events.length, 1);
  const [event] = sink.events;
  const textDigest = event?.event === "sluice.decision" ? event.text_digest : "";
  assert.match(textDigest, /^[\w-]{16}$/);
  assert.equal(event, {
    text_digest: textDigest,
    event: "sluice.decision",
    request_id: "r1",
    decision: "ROUTE",
    workflow_id: "card.block",
    follow_up: false,
    confidence: response.confidence,
    margin: null,
    risk_tier: "medium",
    reason_code: "ACCEPTED_MEDIUM_RISK",
    missing_input_count: 0,
    confirmation_required: false,
    model_version: "lex-1+pair-1",
    calibration_version: "cal-1",
    catalog_version: "cat-1",
    runtime_mode: "production",
    bundle_id: "b".repeat(64),
    latency_ms: 1.25,
    stages_ms: {},
  });
});

test("the event says whether a request follows another one", async () => {
  const sink = new RecordingSink();
  const router = observeRouter(fixtureRouter(), sink);
  await router.route(request);
  await router.route({ ...request, previous: { workflow_id: null } });
  assert.equal(
    sink.events.map((event) => event.event === "sluice.decision" && event.follow_up),
    [false, true],
  );
});

test("the digest of a text recognises repeats under one key only, and is not logged", async () => {
  const digestOf = async (text: string, key: string): Promise<string> => {
    const sink = new RecordingSink();
    await observeRouter(fixtureRouter(), sink, Buffer.from(key)).route({ ...request, text });
    const [event] = sink.events;
    return event?.event === "sluice.decision" ? event.text_digest : "";
  };
  assert.is(await digestOf("Block my card", "a"), await digestOf(" block  my CARD ", "a"));
  assert.is.not(await digestOf("Block my card", "a"), await digestOf("Block my card", "b"));
  assert.is.not(await digestOf("Block my card", "a"), await digestOf("Block her card", "a"));
  const lines: string[] = [];
  await observeRouter(fixtureRouter(), new LoggingTelemetrySink({ write: (line) => lines.push(line) })).route(request);
  assert.not.match(lines.join(""), /digest/i);
});

test("a sink that throws or rejects does not change the answer", async () => {
  const plain = await fixtureRouter().route(request);
  const thrower = observeRouter(fixtureRouter(), {
    emit: () => {
      throw new Error("disk full");
    },
  });
  assert.equal(await thrower.route(request), plain);
  const rejecter = observeRouter(fixtureRouter(), { emit: () => Promise.reject(new Error("disk full")) });
  assert.equal(await rejecter.route(request), plain);
});

test("the observed router exposes the identity, readiness and closing of the original", async () => {
  const router = fixtureRouter();
  const observed = observeRouter(router, new RecordingSink());
  router.problems.push("expired");
  assert.equal(observed.integrityProblems(), ["expired"]);
  assert.is(observed.lineage, router.lineage);
  assert.is(observed.workflowIds, router.workflowIds);
  assert.is((await observed.score(request)).candidates.length, 1);
  await observed.close();
  assert.is(router.closed.count, 1);
});

test("a request that fails gives no decision event", async () => {
  const sink = new RecordingSink();
  const broken = fixtureRouter({ during: () => Promise.reject(new Error("broken")) });
  const outcome = await observeRouter(broken, sink)
    .route(request)
    .catch((error: Error) => error.message);
  assert.is(outcome, "broken");
  assert.is(sink.events.length, 0);
});
