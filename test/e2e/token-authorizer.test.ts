/** docs/examples/token-authorizer.mjs, with real keys of an issuer and a real router server. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { loadAuthorizer } from "../../serve/load-authorizer.js";
import { assert, packageRoot, test } from "../support/test.js";
import { fixtureRouter } from "../serve/support/fixture-router.js";
import { post, withServer } from "../serve/support/http.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

const issuer = "https://issuer.example";
const nowSec = Math.floor(new Date().getTime() / 1000);
const claims = { scope: "profile route:orders", sub: "ada" };

interface Issuer {
  readonly url: string;
  isDown: boolean;
  readonly sign: (changes?: object, header?: object) => Promise<string>;
}

async function withIssuer(use: (issuer: Issuer) => Promise<void>): Promise<void> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", use: "sig" }] };
  const http = createServer((_request, response) => {
    response.writeHead(found.isDown ? 500 : 200).end(JSON.stringify(keys));
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const found: Issuer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/jwks.json`,
    isDown: false,
    sign: (changes = {}, header = {}) =>
      new SignJWT({ iss: issuer, aud: "sluice", exp: nowSec + 600, ...claims, ...changes })
        .setProtectedHeader({ alg: "ES256", kid: "k", ...header })
        .sign(privateKey),
  };
  try {
    await use(found);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

test("the example serves the workflows of a token's scopes, denies other tokens, and answers 503 while the issuer is down", () =>
  withIssuer(async (server) => {
    Object.assign(process.env, { TOKEN_KEYS: server.url, TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: "sluice" });
    const authorizer = await loadAuthorizer("docs/examples/token-authorizer.mjs", packageRoot);
    const router = { ...fixtureRouter(), workflowIds: new Set(["orders.status" as WorkflowId]) };
    const granted: unknown[] = [];
    const recording: typeof authorizer = async (request, payload) => {
      const found = await authorizer(request, payload);
      granted.push([found, (request.scope.authenticated_principal as { readonly sub: string }).sub]);
      return found;
    };
    await withServer(router, { authorizer: recording }, async (base) => {
      const body = { text: "where is my order", catalog_version: "cat-1", allowed_workflow_ids: ["orders.status"] };
      const status = async (authorization: string): Promise<number> =>
        (await post(base, body, { authorization })).status;
      server.isDown = true;
      assert.ok((await status(`Bearer ${await server.sign()}`)) >= 500);
      server.isDown = false;
      assert.is(await status(`bearer ${await server.sign()}`), 200);
      assert.equal(granted, [[["orders.status"], "ada"]]);
      const forged = await new SignJWT({ iss: issuer, aud: "sluice", exp: nowSec + 600, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k" })
        .sign((await generateKeyPair("ES256")).privateKey);
      const denied = [
        await server.sign({ iss: "https://evil.example" }),
        await server.sign({ aud: "billing" }),
        await server.sign({ exp: undefined }),
        await server.sign({ exp: nowSec - 31 }),
        await server.sign({ scope: "profile" }),
        await server.sign({}, { typ: "dpop+jwt" }),
        await server.sign({}, { kid: "other" }),
        forged,
        "abc",
      ];
      for (const [i, token] of denied.entries()) assert.is(await status(`Bearer ${token}`), 403, String(i));
      assert.is(await status(`Basic ${await server.sign()}`), 403);
      assert.is(granted.length, 1);
    });
  }));
