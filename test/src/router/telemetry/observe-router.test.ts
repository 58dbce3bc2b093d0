import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LoggingTelemetrySink } from "../../../../src/router/telemetry/logging-sink.js";
import { observeRouter } from "../../../../src/router/telemetry/observe-router.js";
import { fixtureRouter } from "../../../serve/support/fixture-router.js";
import { RecordingSink } from "../../../serve/support/http.js";

const test = suite("src/router/telemetry/observe-router");

const request = {
  requestId: "r1",
  text: "block my secret card",
  context: { note: "private" },
  catalogVersion: "cat-1",
  allowedWorkflowIds: ["card.block"],
  blockedWorkflowIds: [],
  eventType: null,
  debug: false,
};

test("each answered request gives one decision event, without text and context", async () => {
  const sink = new RecordingSink();
  const response = await observeRouter(fixtureRouter(), sink, Buffer.from("key")).route(request);
  assert.is(sink.events.length, 1);
  const [event] = sink.events;
  const textDigest = event?.event === "sluice.decision" ? event.textDigest : "";
  assert.match(textDigest, /^[\w-]{16}$/);
  assert.equal(event, {
    textDigest,
    event: "sluice.decision",
    requestId: "r1",
    decision: "ROUTE",
    workflowId: "card.block",
    confidence: response.confidence,
    margin: null,
    riskTier: "medium",
    reasonCode: "ACCEPTED_MEDIUM_RISK",
    missingInputCount: 0,
    confirmationRequired: false,
    modelVersion: "lex-1+pair-1",
    calibrationVersion: "cal-1",
    catalogVersion: "cat-1",
    runtimeMode: "production",
    bundleId: "b".repeat(64),
    latencyMs: 1.25,
    stagesMs: {},
  });
});

test("the digest of a text recognises repeats under one key only, and is not logged", async () => {
  const digestOf = async (text: string, key: string): Promise<string> => {
    const sink = new RecordingSink();
    await observeRouter(fixtureRouter(), sink, Buffer.from(key)).route({ ...request, text });
    const [event] = sink.events;
    return event?.event === "sluice.decision" ? event.textDigest : "";
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

test.run();
