import type { Authorizer } from "../../../serve/authorizer.js";
import { ApiSettings } from "../../../serve/settings.js";
import { openApiDocument } from "../../../serve/openapi/document.js";
import { assert, test } from "../../support/test.js";
import { testWithBrowser } from "../../support/browser.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { aDecliningCalibration, aPolicy, aShortlist } from "../../support/builders.js";
import { testModels } from "../../support/models.js";
import { ruleCatalog, ruleCatalogIds, ruleRouter } from "../../support/rule-router.js";
import { send, withServer } from "../support/http.js";

const development = { settings: ApiSettings.development() };

test("the page allows only its script and style", async () => {
  await withServer(fixtureRouter({ mode: "development" }), development, async (base, app) => {
    const answer = await app.inject({ url: "/docs" });
    const policy = String(answer.headers["content-security-policy"]);
    assert.match(
      policy,
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self'/,
    );
    assert.not.match(answer.body, /https?:\/\//);
    assert.is((await send(base, { path: "/health" })).status, 200);
  });
});

testWithBrowser(test, "a reader sees every operation and schema, and sends a request", async (browser) => {
  const router = fixtureRouter({ mode: "development" });
  await withServer(router, development, async (base) => {
    const page = await browser.newPage();
    const faults: string[] = [];
    const asked: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${base}/docs`);
    await page.waitForSelector("body[data-ready=true]");
    const document = openApiDocument();
    const shown = await page.locator("section h2").allTextContents();
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.equal(shown, [...operations, ...Object.keys(document.components.schemas)]);
    assert.is(await page.locator("section[data-schema=RouteRequest] tr").count(), 9);

    const route = page.locator("section[data-operation=route]");
    await route.locator("textarea").fill('{"text":"block my card","debug":true}');
    await route.locator("button").click();
    await route.locator("pre", { hasText: '"decision"' }).waitFor();
    assert.match(await route.locator("pre").innerText(), /^200 OK\n[\s\S]*"workflow_id": "card\.block"/);
    await route.locator("textarea").fill('{"text":""}');
    await route.locator("button").click();
    await route.locator("pre", { hasText: "REQUEST_INVALID" }).waitFor();
    const live = page.locator("section[data-operation=live]");
    await live.locator("button").click();
    await live.locator("pre", { hasText: '"ok"' }).waitFor();

    const noise = faults.filter((text) => !text.includes("422"));
    assert.equal(noise, []);
    assert.equal([...new Set(asked)].sort(), ["/docs", "/health/live", "/openapi.json", "/v1/route"]);
  });
  assert.is(router.seen.length, 1);
});

testWithBrowser(test, "the box shows the question which workflow is meant", async (browser) => {
  const models = await testModels(ruleCatalog);
  const calibration = { ...aDecliningCalibration(), shortlist: aShortlist({ share: 0.1, size: 5 }) };
  const router = ruleRouter(models, { calibration, policy: aPolicy({ ask_between: true }) });
  const authorizer: Authorizer = () => ruleCatalogIds;
  await withServer(router, { ...development, authorizer }, async (base) => {
    const page = await browser.newPage();
    await page.goto(`${base}/docs`);
    await page.locator("#text").fill("order invoice account");
    await page.locator("#text").press("Enter");
    const question = await page.locator("#answer .sentence").innerText();
    assert.is(question, "accounts.unlock or orders.status or invoices.refund?");
  });
  await models.close();
});

testWithBrowser(test, "the box shows the certified shortlist of a declined request", async (browser) => {
  const models = await testModels(ruleCatalog);
  const calibration = { ...aDecliningCalibration(), shortlist: aShortlist({ share: 0.1, size: 5 }) };
  const authorizer: Authorizer = () => ruleCatalogIds;
  await withServer(ruleRouter(models, { calibration }), { ...development, authorizer }, async (base) => {
    const page = await browser.newPage();
    await page.goto(`${base}/docs`);
    await page.locator("#text").fill("order invoice account");
    await page.locator("#text").press("Enter");
    const list = page.locator("#answer table", { hasText: "It may be one of these" });
    await list.waitFor();
    const workflows = await list.locator("td:first-child").allInnerTexts();
    assert.equal(workflows, ["accounts.unlock", "orders.status", "invoices.refund"]);
    assert.match(await page.locator("#answer .sentence").innerText(), /^LLM_REQUIRED/);
  });
  await models.close();
});
