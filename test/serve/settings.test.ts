import { ApiSettings } from "../../serve/settings.js";
import { assert, test, throws } from "../support/test.js";

const production = (trustedHosts: readonly string[], corsOrigins: readonly string[] = []): ApiSettings =>
  ApiSettings.productionDefaults({ trustedHosts, corsOrigins });
const refused = (run: () => unknown): void => void throws(run, "PRODUCTION_CONFIGURATION");

test("production defaults name hosts and origins and use the default limits", () => {
  const settings = production(
    ["Router.Example.com", "*.corp.example", "10.0.0.1", "[::1]"],
    ["https://app.example.com"],
  );
  assert.is(settings.production, true);
  assert.equal(settings.trustedHosts, ["router.example.com", "*.corp.example", "10.0.0.1", "[::1]"]);
  assert.equal(settings.corsOrigins, ["https://app.example.com"]);
  assert.is(settings.bodyLimitBytes, 2_097_152);
  assert.is(settings.authorizerTimeoutMs, 1000);
});

test("development accepts every host and no cross-origin access", () => {
  const settings = ApiSettings.development();
  assert.equal([settings.production, settings.trustedHosts, settings.corsOrigins], [false, ["*"], []]);
  assert.equal(ApiSettings.development({ corsOrigins: ["*"] }).corsOrigins, ["*"]);
});

test("settings cannot be changed afterwards", () => {
  const settings = production(["a.example"]);
  assert.throws(() => Object.assign(settings, { production: false }), TypeError);
  assert.throws(() => (settings.trustedHosts as string[]).push("*"), TypeError);
});

test("production refuses stars", () => {
  refused(() => production(["*"]));
  refused(() => production(["a.example"], ["*"]));
});

for (const host of [
  "https://a.example",
  "a.example/path",
  "a.example:80",
  "a,b",
  "a b",
  "a.*.example",
  "*a.example",
  "*.",
  "",
]) {
  test(`"${host}" is no host name`, () => {
    refused(() => production([host]));
    refused(() => ApiSettings.development({ trustedHosts: [host] }));
  });
}

for (const origin of [
  "app.example.com",
  "https://app.example.com/",
  "https://app.example.com/path",
  "ftp://app.example.com",
  "https://app.example.com:99999",
  "https://user@app.example.com",
  "https://app.example.com:443",
  "https://*.example.com/",
  "null",
  "",
]) {
  test(`"${origin}" is no origin`, () => refused(() => production(["a.example"], [origin])));
}

test("1 to 100 hosts and at most 100 origins", () => {
  const many = (n: number): string[] => Array.from({ length: n }, (_, i) => `h${i}.example`);
  refused(() => production([]));
  assert.is(production(many(100)).trustedHosts.length, 100);
  refused(() => production(many(101)));
  const origins = (n: number): string[] => many(n).map((host) => `https://${host}`);
  assert.is(production(["a.example"], origins(100)).corsOrigins.length, 100);
  refused(() => production(["a.example"], origins(101)));
});

test("the body limit lies between 1024 and 8388608, both included", () => {
  const limit = (bodyLimitBytes: number): number => ApiSettings.development({ bodyLimitBytes }).bodyLimitBytes;
  assert.is(limit(1024), 1024);
  assert.is(limit(8_388_608), 8_388_608);
  for (const bad of [1023, 8_388_609, 2048.5, 0]) refused(() => limit(bad));
  throws(() => limit(Number.NaN), "ARGUMENT_INVALID");
});

test("the time limit of an authorizer is a whole number of milliseconds", () => {
  assert.is(ApiSettings.development({ authorizerTimeoutMs: 1 }).authorizerTimeoutMs, 1);
  for (const bad of [0, 60_001, 1.5]) refused(() => ApiSettings.development({ authorizerTimeoutMs: bad }));
});
