import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RouterRuntime } from "../../../src/router/runtime.js";
import { type AuthorizerOptions, configureAuthorizer } from "../../../serve/authorizers/configure-authorizer.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { goodBody, post, withServer } from "../support/http.js";

const surroundings = { host: "127.0.0.1", directory: "/nowhere" };
const yaml = `schema_version: 1
rules:
  - claim: groups
    value: desk
    workflow_ids: [card.block]
  - claim: x-user
    value: ada
    workflow_ids: all
`;

async function status(directory: string, options: AuthorizerOptions, headers: Record<string, string>) {
  const runtime = new RouterRuntime(fixtureRouter());
  const authorizerFor = await configureAuthorizer(options, { ...surroundings, directory });
  const found: number[] = [];
  await withServer(runtime, { authorizer: authorizerFor(runtime) }, async (base) => {
    found.push((await post(base, goodBody, headers)).status);
  });
  return found[0];
}

test("headers of a proxy and a module are configured the same way", async () => {
  await inTemporaryFolder(async (directory) => {
    writeFileSync(join(directory, "grants.yaml"), yaml);
    writeFileSync(join(directory, "auth.mjs"), 'export default async () => ["card.block"];');
    const proxy = { kind: "proxy", headers: ["x-user"], addresses: ["127.0.0.1"], policy: "grants.yaml" } as const;
    assert.is(await status(directory, proxy, { "x-user": "ada" }), 200);
    assert.is(await status(directory, proxy, { "x-user": "eve" }), 403);
    assert.is(await status(directory, { kind: "module", file: "auth.mjs" }, {}), 200);
    assert.is(await status(directory, { kind: "local" }, {}), 200);
  });
});

test("nothing configured refuses the start", async () => {
  const error = await rejects(configureAuthorizer({ kind: "none" }, surroundings), "PRODUCTION_CONFIGURATION");
  assert.match(error.hint ?? "", /--proxy-header, --authorizer FILE/);
});

test("local callers need an address that only they can reach", async () => {
  const open = { ...surroundings, host: "0.0.0.0" };
  await rejects(configureAuthorizer({ kind: "local" }, open), "PRODUCTION_CONFIGURATION");
});

const badPolicies: Readonly<Record<string, string>> = {
  "an unknown key": `${yaml}more: 1\n`,
  "no rules": "schema_version: 1\nrules: []\n",
  "an id that is none": yaml.replace("card.block", "Card Block"),
  "a kind of list that is none": yaml.replace("value: desk", "value: desk\n    list: words"),
  "a value that is two items of its list": yaml.replace("value: desk", "value: service desk\n    list: space"),
  "broken YAML": "rules: [",
};
for (const [name, text] of Object.entries(badPolicies)) {
  test(`a grant policy with ${name} refuses the start and is named`, async () => {
    await inTemporaryFolder(async (directory) => {
      writeFileSync(join(directory, "grants.yaml"), text);
      const options = { kind: "proxy", headers: ["x"], addresses: ["127.0.0.1"], policy: "grants.yaml" } as const;
      const configured = configureAuthorizer(options, { ...surroundings, directory });
      assert.match((await rejects(configured, "PRODUCTION_CONFIGURATION")).message, /grants\.yaml/);
    });
  });
}
