/** Bearer tokens with real keys, against a real server of a key set and a real router server. */
import { createHmac } from "node:crypto";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { GrantPolicy } from "../../../serve/authorizers/grant-policy.js";
import { KeySource, type KeySourceOptions } from "../../../serve/authorizers/key-source.js";
import { AuthorizationDenied } from "../../../serve/authorizer.js";
import { tokenAuthorizer, verifiedClaims } from "../../../serve/authorizers/token-authorizer.js";
import { ApiSettings } from "../../../serve/settings.js";
import { assert, rejects, test, throws } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Answer, goodBody, post, productionSettings, RecordingSink, withServer } from "../support/http.js";
import { issuerKey, type KeyServer, keyServer, keySet, signToken } from "./token-support.js";

const rsa = issuerKey("RS256");
const ec = issuerKey("ES256");
const ed = issuerKey("EdDSA");
const all = [rsa, ec, ed];
const now = new Date("2026-03-01T12:00:00Z");
const nowSec = now.getTime() / 1000;
const claims = {
  iss: "https://issuer.example",
  aud: ["sluice", "other"],
  exp: nowSec + 300,
  nbf: nowSec - 300,
  iat: nowSec - 300,
  sub: "ada",
  scope: "route:cards profile",
  groups: ["desk"],
};
const policy: GrantPolicy = {
  schema_version: 1,
  rules: [
    { claim: "scope", value: "route:cards", list: "space", workflow_ids: ["card.block" as WorkflowId] },
    { claim: ["realm", "roles"], value: "admin", workflow_ids: "all" },
    { claim: "sub", value: "nobody", workflow_ids: [] },
    { claim: "sub", value: "release-probe", workflow_ids: "all" },
  ],
};

interface Setting {
  readonly server: KeyServer;
  readonly clock: { now: Date };
  readonly ask: (token: string | null) => Promise<Answer>;
}

async function withTokens(
  use: (setting: Setting) => Promise<void>,
  options: Partial<KeySourceOptions> = {},
  text: () => string = () => keySet(all),
): Promise<void> {
  const server = await keyServer(text);
  const clock = { now };
  const keys = new KeySource({ location: server.url, clock: () => clock.now, ...options });
  try {
    await keys.reload();
    const router = fixtureRouter();
    const authorizer = tokenAuthorizer({
      keys,
      issuer: claims.iss,
      audience: "sluice",
      policy,
      clock: () => clock.now,
      workflowIds: () => router.workflowIds,
    });
    const settings = ApiSettings.productionDefaults({
      trustedHosts: ["127.0.0.1"],
      corsOrigins: [],
      authorizerTimeoutMs: 500,
    });
    await withServer(router, { authorizer, settings }, async (base) => {
      const ask = (token: string | null) =>
        post(
          base,
          { ...goodBody, allowed_workflow_ids: ["card.block", "card.order"] },
          token === null ? {} : { authorization: `Bearer ${token}` },
        );
      await use({ server, clock, ask });
    });
  } finally {
    await server.close();
  }
}

for (const key of all) {
  test(`a token signed with ${key.algorithm} is served the workflows of its claims`, async () => {
    await withTokens(async ({ ask }) => {
      const answer = await ask(signToken(key, claims));
      assert.equal([answer.status, answer.body["workflow_id"]], [200, "card.block"]);
    });
  });
}

test("a nested claim can grant every workflow of the active bundle, and a rule may grant none", async () => {
  await withTokens(async ({ ask }) => {
    const admin = await ask(signToken(rsa, { ...claims, scope: "", realm: { roles: ["admin"] } }));
    assert.is(admin.body["workflow_id"], "card.block");
    const none = await ask(signToken(rsa, { ...claims, scope: "", sub: "nobody" }));
    assert.equal([none.status, none.body["reason_code"]], [200, "NO_ELIGIBLE_WORKFLOW"]);
  });
});

const hmacToken = (): string => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "HS256", kid: rsa.keyId })}.${encode(claims)}`;
  const secret = rsa.publicKey.export({ type: "spki", format: "pem" });
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
};
const tampered = (): string => {
  const [head = "", , signature = ""] = signToken(rsa, claims).split(".");
  const payload = Buffer.from(JSON.stringify({ ...claims, realm: { roles: ["admin"] } })).toString("base64url");
  return [head, payload, signature].join(".");
};
const denied: Readonly<Record<string, () => string | null>> = {
  "no token": () => null,
  "a token that is none": () => "abc",
  "an empty signature": () => `${signToken(rsa, claims).split(".").slice(0, 2).join(".")}.`,
  "alg none": () => signToken(rsa, claims, { alg: "none" }),
  "the public key as a shared secret": hmacToken,
  "an algorithm that is not that of its key": () => signToken(rsa, claims, { alg: "ES256" }),
  "an RSA algorithm that is not offered": () => signToken(rsa, claims, { alg: "RS512" }),
  "changed claims": tampered,
  "a key of somebody else under the same id": () => signToken(issuerKey("RS256"), claims),
  "an extension that must be understood": () => signToken(rsa, claims, { crit: ["b64"] }),
  "another type of token": () => signToken(rsa, claims, { typ: "dpop+jwt" }),
  "another issuer": () => signToken(rsa, { ...claims, iss: "https://evil.example" }),
  "another audience": () => signToken(rsa, { ...claims, aud: "billing" }),
  "no audience": () => signToken(rsa, { ...claims, aud: undefined }),
  "no end": () => signToken(rsa, { ...claims, exp: undefined }),
  "an end that is a text": () => signToken(rsa, { ...claims, exp: "never" }),
  "an end that is infinite": () => signToken(rsa, JSON.stringify(claims).replace(/"exp":\d+/u, '"exp":1e400')),
  "an end after the year 9999": () => signToken(rsa, { ...claims, exp: 1e308 }),
  "a beginning before 1970": () => signToken(rsa, { ...claims, nbf: -1 }),
  "an end in the past": () => signToken(rsa, { ...claims, exp: nowSec - 31 }),
  "a beginning in the future": () => signToken(rsa, { ...claims, nbf: nowSec + 31 }),
  "an issue time in the future": () => signToken(rsa, { ...claims, iat: nowSec + 31 }),
  "claims that no rule fits": () => signToken(rsa, { ...claims, scope: "profile" }),
  "a subject with the name of another one in it": () =>
    signToken(rsa, { ...claims, scope: "", sub: "evil release-probe" }),
  "a subject with the name of another one after a comma": () =>
    signToken(rsa, { ...claims, scope: "", sub: "evil,release-probe" }),
  "a scope with commas": () => signToken(rsa, { ...claims, scope: "profile,route:cards" }),
  "a scope that only begins like one": () => signToken(rsa, { ...claims, scope: "route:cards-not" }),
  "more than 8,192 characters": () => signToken(rsa, { ...claims, pad: "x".repeat(6000) }),
};
for (const [name, token] of Object.entries(denied)) {
  test(`${name}: 403`, async () => {
    await withTokens(async ({ ask }) => {
      const answer = await ask(token());
      assert.equal([answer.status, answer.body["code"]], [403, "AUTHORIZATION_DENIED"]);
    });
  });
}

test("clocks may differ by 30 seconds", async () => {
  await withTokens(async ({ ask }) => {
    assert.is((await ask(signToken(ed, { ...claims, exp: nowSec - 29 }))).status, 200);
    assert.is((await ask(signToken(ed, { ...claims, nbf: nowSec + 29, iat: nowSec + 29 }))).status, 200);
  });
});

test("a token without a key id is tried with every key of its algorithm", async () => {
  await withTokens(async ({ ask }) => {
    assert.is((await ask(signToken(ec, claims, { kid: undefined }))).status, 200);
  });
  const others = [issuerKey("ES256", "other-1"), ec, issuerKey("ES256", "other-2")];
  await withTokens(
    async ({ ask }) => {
      for (const key of others) assert.is((await ask(signToken(key, claims, { kid: undefined }))).status, 200);
      assert.is((await ask(signToken(issuerKey("ES256"), claims, { kid: undefined }))).status, 403);
    },
    {},
    () => keySet(others),
  );
});

test("a new key is fetched when a token names it, at most once in the pause", async () => {
  const next = issuerKey("EdDSA", "key-next");
  const served = { keys: [rsa] };
  await withTokens(
    async ({ server, clock, ask }) => {
      assert.is(server.asked.count, 1);
      assert.is((await ask(signToken(next, claims))).status, 403);
      served.keys = [next];
      for (let i = 0; i < 5; i += 1) assert.is((await ask(signToken(next, claims))).status, 403);
      assert.is(server.asked.count, 1);
      clock.now = new Date(now.getTime() + 30_000);
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(signToken(next, claims))));
      for (const { status } of answers) assert.is(status, 200);
      assert.is(server.asked.count, 2);
      assert.is((await ask(signToken(rsa, claims))).status, 403);
    },
    { pauseMs: 30_000 },
    () => keySet(served.keys),
  );
});

test("while the issuer is down the known keys are used for their time, then it is a 503, then it recovers", async () => {
  const long = { ...claims, exp: nowSec + 10_000 };
  await withTokens(
    async ({ server, clock, ask }) => {
      const works = server.answer;
      server.answer = (response) => void response.writeHead(500).end();
      clock.now = new Date(now.getTime() + 400_000);
      assert.is((await ask(signToken(rsa, long))).status, 200);
      clock.now = new Date(now.getTime() + 3_600_000);
      const answer = await ask(signToken(rsa, long));
      assert.equal([answer.status, answer.body["code"]], [503, "AUTHORIZATION_UNAVAILABLE"]);
      assert.is(answer.headers["retry-after"], "1");
      server.answer = works;
      clock.now = new Date(now.getTime() + 3_700_000);
      assert.is((await ask(signToken(rsa, long))).status, 200);
    },
    { pauseMs: 60_000 },
  );
});

test("an issuer that never answers costs its timeout, and admits nobody", async () => {
  await withTokens(
    async ({ server, clock, ask }) => {
      server.answer = () => undefined;
      clock.now = new Date(now.getTime() + 3_600_000);
      const answer = await ask(signToken(rsa, { ...claims, exp: nowSec + 10_000 }));
      assert.equal([answer.status, answer.body["code"]], [503, "AUTHORIZATION_UNAVAILABLE"]);
    },
    { timeoutMs: 450 },
  );
});

test("the token is in no log line", async () => {
  const telemetry = new RecordingSink();
  const token = signToken(rsa, { ...claims, scope: "" });
  const keys = { use: () => Promise.reject(new AuthorizationDenied("no key")) } as unknown as KeySource;
  const options = { keys, issuer: "i", audience: "a", policy, clock: () => now, workflowIds: () => [] };
  await withServer(
    fixtureRouter(),
    { authorizer: tokenAuthorizer(options), settings: productionSettings, telemetry },
    async (base) => {
      await post(base, goodBody, { authorization: `Bearer ${token}` });
      const event = await telemetry.next("sluice.http");
      assert.is(event.status_code, 403);
      assert.not.ok(JSON.stringify(event).includes(token.slice(0, 20)));
    },
  );
});

const source = (location: string) => new KeySource({ location, clock: () => now });

test("keys come from a file, https, or this machine", async () => {
  for (const location of ["http://issuer.example/jwks", "ftp://a/b", "https://"]) {
    throws(() => source(location), "PRODUCTION_CONFIGURATION");
  }
  await rejects(source("/nowhere/jwks.json").reload(), "PRODUCTION_CONFIGURATION");
});

const badSets: Readonly<Record<string, string>> = {
  "no JSON": "<html>",
  "no keys": '{"keys":[]}',
  "shared secrets only": '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"a"}]}',
  "a short RSA key": keySet([issuerKey("RS256", "short", 1024)]),
  "a key that is cut": JSON.stringify({ keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA" }] }),
  "more than a MiB": " ".repeat(1_100_000),
};
for (const [name, text] of Object.entries(badSets)) {
  test(`a key set with ${name} is refused, and the one before stays`, async () => {
    const served = { text: keySet(all) };
    const server = await keyServer(() => served.text);
    try {
      const keys = source(server.url);
      await keys.reload();
      served.text = text;
      const error = await rejects(keys.reload(), "PRODUCTION_CONFIGURATION");
      assert.ok(error.message.includes(server.url));
      const expected = { issuer: claims.iss, audience: "sluice", now };
      for (const key of all) {
        const token = signToken(key, claims);
        assert.is((await keys.use((known) => verifiedClaims(token, known, expected))).sub, "ada");
      }
    } finally {
      await server.close();
    }
  });
}

test("a redirect is not followed", async () => {
  const server = await keyServer(() => keySet(all));
  try {
    server.answer = (response) => void response.writeHead(302, { location: "/elsewhere" }).end();
    await rejects(source(server.url).reload(), "PRODUCTION_CONFIGURATION");
    assert.is(server.asked.count, 1);
  } finally {
    await server.close();
  }
});
