import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../../serve/openapi/document.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { aCatalog } from "../support/builders.js";
import { type Finished, programs, startProgram } from "../support/run-program.js";
import { inServedFolder } from "../support/served-bundles.js";
import { sluice } from "./support/sluice.js";

interface Served {
  readonly address: string;
  /** What it says before it answers. */
  readonly said: string;
  /** Ends it with Ctrl-C. */
  stop(): Promise<Finished>;
}

/** `sluice serve` as a separate process, on a free port. */
async function serve(...args: readonly string[]): Promise<Served> {
  const running = startProgram(programs.sluice, ["serve", "--port", "0", ...args]);
  const [said] = await running.untilStderr(/serving[\s\S]*stop it.*\n/u);
  return {
    address: /http:\/\/127\.0\.0\.1:\d+/u.exec(said)?.[0] ?? "",
    said,
    stop: () => {
      running.child.kill("SIGINT");
      return running.finished;
    },
  };
}

const text = "where is my order";

test("development mode serves a bundle to every caller of this machine, and every response says so", () =>
  inServedFolder(async (served) => {
    const directory = await served.bundle(1);
    const server = await serve(directory);
    assert.match(server.said, /^mode +development: signatures are not verified/mu);
    const { status, body } = await post(server.address, { text, debug: true });
    assert.equal(
      [status, body["decision"], body["workflow_id"], body["runtime_mode"], body["catalog_version"]],
      [200, "ROUTE", "orders.status", "development", "catalog-1"],
    );
    assert.ok(Array.isArray(body["candidates"]) && body["candidates"].length > 0, "candidates are shown");
    const health = (await send(server.address, { path: "/health" })).body;
    assert.equal([health["status"], health["runtime_mode"]], ["ok", "development"]);

    const [, address = "", printed = ""] =
      /^send +curl -s (\S+)\/v1\/route -H 'content-type: application\/json' -d '(.*)'$/mu.exec(server.said) ?? [];
    const answer = await post(address, printed);
    assert.equal([answer.status, answer.body["runtime_mode"]], [200, "development"], "the printed curl line");

    const rebound = await post(server.address, { text }, { host: "rebound.example.com" });
    assert.equal([rebound.status, rebound.body["code"]], [400, "HOST_NOT_TRUSTED"]);
    const foreign = await post(server.address, { text }, { origin: "https://app.example.com" });
    assert.is(foreign.headers["access-control-allow-origin"], undefined);

    const { port } = new URL(server.address);
    const taken = await sluice(["serve", directory, "--port", port, "--json"], { cwd: served.folder });
    assert.equal([taken.code, taken.stderr], [2, ""]);
    assert.is((JSON.parse(taken.stdout) as { error: { code: string } }).error.code, "PORT_IN_USE");

    const { code, stdout, stderr } = await server.stop();
    assert.equal([code, stdout], [0, `5 requests answered at ${server.address}\n`]);
    assert.match(stderr, /^200 {2}POST \/v1\/route {2}[\d.]+ ms$/mu);
    assert.not.match(stderr.replace(server.said, ""), text);
  }));

test("the description is served", () =>
  inServedFolder(async (served) => {
    const server = await serve(await served.bundle(1));
    assert.equal((await send(server.address, { path: "/openapi.json" })).body, openApiDocument());
    assert.is((await server.stop()).code, 0);
  }));

test("an edited catalog replaces the bundle's, with a note about the thresholds", () =>
  inServedFolder(async (served) => {
    const workflows = aCatalog().workflows.filter(({ workflow_id: workflowId }) => workflowId !== "orders.status");
    const edited = join(served.folder, "edited.yaml");
    writeFileSync(edited, canonicalBytes({ schema_version: 1, catalog_version: "edited", workflows }));
    const server = await serve(await served.bundle(1), "--catalog", edited);
    const { body } = await post(server.address, { text });
    assert.is(body["catalog_version"], "edited");
    assert.is.not(body["workflow_id"], "orders.status");
    const { stderr } = await server.stop();
    assert.match(stderr, /^warning +the thresholds were certified for a different catalog/mu);
  }));

test("an address that other machines can reach, and a bundle together with a calibration, are refused before anything is loaded", () =>
  inTemporaryFolder(async (cwd) => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "router.example.com"]) {
      const { code, stdout, stderr } = await sluice(["serve", "nowhere", "--host", host], { cwd });
      assert.equal([code, stdout], [2, ""]);
      assert.match(stderr, /USAGE: other machines can reach .*\nhint .*sluice-serve/u);
    }
    const both = await sluice(["serve", "nowhere", "--calibration", "0123abcd"], { cwd });
    assert.is(both.code, 2);
    assert.match(both.stderr, /USAGE: found both a bundle and --calibration/u);
  }));

test("a folder that is no bundle, and one with a part missing, are named", () =>
  inServedFolder(async (served) => {
    const cwd = served.folder;
    const nowhere = await sluice(["serve", join(cwd, "nowhere"), "--port", "0"], { cwd });
    assert.is(nowhere.code, 2);
    assert.match(nowhere.stderr, /FILE_NOT_FOUND: .*nowhere/u);
    const directory = await served.bundle(1);
    rmSync(join(directory, "calibration.json"));
    const incomplete = await sluice(["serve", directory, "--port", "0"], { cwd });
    assert.is(incomplete.code, 4);
    assert.match(incomplete.stderr, /FILE_MISSING: .*calibration\.json is missing/u);
  }));
