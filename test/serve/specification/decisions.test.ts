/** What the specification says about decisions, over HTTP in both modes, with real models. */
import type { RuntimeMode } from "../../../src/documents/response.js";
import { decisionKinds } from "../../../src/documents/decision.js";
import { floatMatrix, onnxModel } from "../../../src/inference/onnx-graph.js";
import type { LoadedModels } from "../../../src/router/load-models.js";
import type { RouterParts } from "../../../src/router/router.js";
import { featureNames } from "../../../src/router/verification/similarity-features.js";
import { ApiSettings } from "../../../serve/settings.js";
import { assert, test, testWith } from "../../support/test.js";
import { aCalibration, aPolicy, aTier } from "../../support/builders.js";
import { testModels, verifierFilesWithGraph } from "../../support/models.js";
import { ruleCatalog, ruleCatalogIds, ruleRouter } from "../../support/rule-router.js";
import { type Answer, post, productionSettings, send, withServer } from "../support/http.js";

type Body = Readonly<Record<string, unknown>>;
type Ask = (change: Body) => Promise<Answer>;

let models: LoadedModels;

const good = { catalog_version: "catalog-1", allowed_workflow_ids: ruleCatalogIds };

/** A server of one mode over the rule catalog; `ask` posts a request that production accepts. */
function served(
  mode: RuntimeMode,
  parts: Partial<RouterParts>,
  use: (ask: Ask, base: string) => Promise<void>,
): Promise<void> {
  const router = ruleRouter(models, { runtimeMode: mode, now: () => performance.now(), ...parts });
  const settings = mode === "production" ? productionSettings : ApiSettings.development();
  return withServer(router, { settings, authorizer: async () => ruleCatalogIds }, (base) =>
    use((change) => post(base, { ...good, ...change }), base),
  );
}

const book = "I need a meeting room";
const outcome = ({ status, body }: Answer): readonly unknown[] => {
  return [status, body["decision"], body["workflow_id"], body["missing_inputs"]];
};

/** A verifier that keeps an inference thread busy for much longer than a health answer takes. */
function longVerifier(): Buffer {
  const width = 512;
  const steps = 2000;
  const input = featureNames.length;
  const constant = (name: string, rows: number, columns: number) => {
    return { name, dimensions: [rows, columns], values: new Float32Array(rows * columns) };
  };
  const product = (from: string, matrix: string, to: string) => {
    return { operator: "MatMul", inputs: [from, matrix], outputs: [to] };
  };
  return onnxModel({
    name: "long",
    inputs: [floatMatrix("input", input)],
    outputs: [floatMatrix("output", 3)],
    constants: [constant("first", input, width), constant("middle", width, width), constant("last", width, 3)],
    nodes: [
      product("input", "first", "step0"),
      ...Array.from({ length: steps }, (_, step) => product(`step${step}`, "middle", `step${step + 1}`)),
      product(`step${steps}`, "last", "output"),
    ],
  });
}

for (const mode of ["development", "production"] as const) {
  const test = testWith(`in ${mode}`);
  test.before(async () => {
    models = await testModels(ruleCatalog);
  });
  test.after(() => models.close());

  test("a request is mapped to one workflow of the catalog, or to none", () =>
    served(mode, {}, async (ask) => {
      for (const text of ["where is my order", book, "sing a zebra on monday", "refund my last invoice", "🙂"]) {
        const { status, body } = await ask({ text });
        assert.is(status, 200);
        assert.ok(decisionKinds.some((kind) => kind === body["decision"]));
        const chosen = body["workflow_id"];
        assert.is(chosen === null, body["decision"] === "LLM_REQUIRED", text);
        assert.ok(chosen === null || ruleCatalogIds.some((id) => id === chosen));
      }
    }));

  test("each request is answered independently: order and repetition change nothing", () =>
    served(mode, { now: () => 0 }, async (ask) => {
      const texts = ["where is my order", book, "my account is locked"];
      const alone: Body[] = [];
      for (const text of texts) alone.push((await ask({ text, request_id: "r" })).body);
      const again: Body[] = [];
      for (const text of [...texts].reverse()) again.unshift((await ask({ text, request_id: "r" })).body);
      assert.equal(again, alone);
    }));

  test("missing inputs are named, and a value from the context or the text completes the workflow", () =>
    served(mode, {}, async (ask) => {
      assert.equal(outcome(await ask({ text: book })), [200, "CLARIFY", "rooms.book", ["day"]]);
      const fromContext = await ask({ text: book, context: { day: "friday" } });
      assert.equal(outcome(fromContext), [200, "ROUTE", "rooms.book", []]);
      assert.equal(outcome(await ask({ text: `${book} on friday` })), [200, "ROUTE", "rooms.book", []]);
    }));

  test("the calibration in use turns the same scores into confidence and decision", async () => {
    const calibration = aCalibration();
    const steep = { ...calibration, calibrator: { ...calibration.calibrator, slope: 0.25 } } as typeof calibration;
    const strict = { ...calibration, tiers: { ...calibration.tiers, low: aTier(null, null) } };
    const answers: Body[] = [];
    for (const used of [calibration, steep, strict]) {
      await served(mode, { calibration: used }, async (ask) => {
        answers.push((await ask({ text: "where is my order" })).body);
      });
    }
    const [first, flatter, abstaining] = answers;
    assert.is(first?.["reason_code"], "ACCEPTED_LOW_RISK");
    assert.ok(Number(flatter?.["confidence"]) < Number(first?.["confidence"]));
    assert.equal([abstaining?.["reason_code"], abstaining?.["workflow_id"]], ["BELOW_RISK_THRESHOLD", null]);
    assert.is(abstaining?.["confidence"], first?.["confidence"]);
  });

  test("top-K bounds the candidates that are verified", async () => {
    const verified: number[] = [];
    const counting: LoadedModels = {
      ...models,
      scoreText: async (request, scope) => {
        const scores = await models.scoreText(request, scope);
        verified.push(scores.logits.length);
        return scores;
      },
    };
    await served(mode, { models: counting, policy: aPolicy({ top_k: 2, ineligible_competitors: 0 }) }, async (ask) => {
      const { body } = await ask({ text: "where is my order", debug: true });
      assert.is(body["workflow_id"], "orders.status");
      const shown = body["candidates"] as readonly unknown[] | null;
      assert.is(shown?.length ?? null, mode === "development" ? 2 : null);
    });
    assert.equal(verified, [2]);
  });
}

for (const mode of ["development", "production"] as const) {
  test(`${mode}: health is answered while a model runs`, async () => {
    const long = await testModels(ruleCatalog, verifierFilesWithGraph(longVerifier()));
    try {
      await served(mode, { models: long, policy: aPolicy({ deadline_ms: 30_000 }) }, async (ask, base) => {
        const order: string[] = [];
        const routed = ask({ text: "where is my order" }).then(({ status }) => order.push(`route ${status}`));
        while (order.length === 0 && long.statistics().underWay === 0) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        await send(base, { path: "/health/live" }).then(({ status }) => order.push(`live ${status}`));
        await routed;
        assert.equal(order, ["live 200", "route 200"]);
      });
    } finally {
      await long.close();
    }
  });
}
