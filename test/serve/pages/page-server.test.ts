import { pagePolicy } from "../../../serve/pages/add-pages.js";
import { startPageServer } from "../../../serve/pages/page-server.js";
import { assert, rejects, test } from "../../support/test.js";
import { send } from "../support/http.js";

const address = { host: "127.0.0.1", port: 0 };
const page = async () => ({ status: 200, html: "<!doctype html><title>one</title><style>p { margin: 0 }</style>" });

test("pages are answered to GET and HEAD, with a policy that names what is in them", async () => {
  const server = await startPageServer(address, page);
  try {
    const answer = await fetch(`${server.address}/reports/run/0123abcd?q=1`);
    assert.is(answer.status, 200);
    assert.match(
      answer.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; script-src 'none'; style-src 'sha256-[^']+'; /u,
    );
    assert.equal(
      ["x-frame-options", "cache-control", "referrer-policy"].map((name) => answer.headers.get(name)),
      ["DENY", "no-store", "no-referrer"],
    );
    const head = await fetch(`${server.address}/`, { method: "HEAD" });
    assert.equal([head.status, await head.text()], [200, ""]);
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      assert.is((await fetch(`${server.address}/`, { method })).status, 405, method);
    }
    assert.is((await fetch(`${server.address}/`, { method: "POST", body: new URLSearchParams() })).status, 400);
    assert.is((await fetch(`${server.address}/other`)).status, 404);
  } finally {
    await server.close();
  }
});

test("a page of another site that points its name at this machine gets nothing", async () => {
  const server = await startPageServer(address, page);
  try {
    const { status, body } = await send(server.address, { path: "/", headers: { host: "rebound.example.com" } });
    assert.equal([status, body["code"]], [400, "HOST_NOT_TRUSTED"]);
  } finally {
    await server.close();
  }
  await rejects(startPageServer({ host: "0.0.0.0", port: 0 }, page), "USAGE");
});

test("a page may run its scripts only, and style attributes are allowed where it has some", () => {
  const policy = pagePolicy('<script>a()</script><script type="application/json">{}</script><p style="margin: 0">');
  assert.match(policy, /script-src 'sha256-[^']+' 'sha256-[^']+';/u);
  assert.match(policy, "style-src 'unsafe-inline';");
  assert.match(pagePolicy("<p>nothing</p>"), "script-src 'none'; style-src 'none';");
});
