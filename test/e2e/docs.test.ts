import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorCodes } from "../../src/base/error-codes.js";
import { reasonCodes } from "../../src/documents/decision.js";
import { reasonText } from "../../reports/reason-text.js";
import { RouteRequestSchema } from "../../src/documents/request.js";
import { TrustPolicySchema } from "../../src/documents/signed.js";
import type { Router } from "../../src/documents/router.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { createApp } from "../../serve/app.js";
import { helpText, parseServeArguments } from "../../serve/arguments.js";
import { grantsBy, readGrantPolicy } from "../../serve/authorizers/grant-policy.js";
import { loadAuthorizer } from "../../serve/load-authorizer.js";
import type { LoadBundleOptions } from "../../serve/load-production-router.js";
import { ApiSettings } from "../../serve/settings.js";
import { assert, inTemporaryFolder, packageRoot, rejects, skipTest, test } from "../support/test.js";
import { testNow, testTrustBytes, writeTestBundle } from "../support/builders-artifacts.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";
import { writeServableBundle } from "../support/servable-bundle.js";
import { fixtureRouter } from "../serve/support/fixture-router.js";

type Service = { readonly app: ReturnType<typeof createApp>; readonly runtime: RouterRuntime };
type Authorize = NonNullable<NonNullable<Parameters<typeof createApp>[1]>["authorizer"]>;

/** What docs/examples/in-process.mjs exports. */
interface InProcessExample {
  loadBundle(directory: string, trust: string, more: Pick<LoadBundleOptions, "clock">): Promise<Router>;
  refusalLines(error: unknown): readonly string[];
  createService(
    router: Router,
    options: {
      readonly authorizer: Authorize;
      readonly trustedHosts: readonly string[];
      readonly principalOf: (request: { readonly headers: Record<string, unknown> }) => unknown;
    },
  ): Service;
  replaceBundle(runtime: RouterRuntime, next: Router): Promise<{ readonly generation: number }>;
  rollBack(runtime: RouterRuntime): { readonly generation: number; readonly bundleId: string | null };
  stopService(service: Service): Promise<void>;
}

const examples = join(packageRoot, "docs", "examples");
const http = docPage("reference/http.md");
const server = docPage("reference/server.md");
const authorize = docPage("how-to/authorize-callers.md");
const trust = docPage("how-to/keys-and-trust.md");
const verify = docPage("how-to/verify-without-sluice.md");

/** Reason codes and their meanings below each decision. UPDATE_GOLDEN=1 writes them again. */
test("the HTTP page explains every reason code next to its decision", () => {
  const listed = (decision: string): string =>
    Object.entries(reasonCodes)
      .filter(([, of]) => of === decision)
      .map(([code]) => `- \`${code}\`: ${reasonText(code)}\n`)
      .join("");
  const generated = http.replaceAll(
    /^`(?<decision>[A-Z_]+)`:\n\n(?:- `.*\n)+/gmu,
    (_, decision: string) => `\`${decision}\`:\n\n${listed(decision)}`,
  );
  const path = join(packageRoot, "docs/reference/http.md");
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, generated);
  assert.is(readFileSync(path, "utf8"), generated, "run with UPDATE_GOLDEN=1");
  for (const code of Object.keys(reasonCodes)) assert.ok(generated.includes(`- \`${code}\`: `), code);
});

test("the page of sluice-serve names every flag of its help", () => {
  const flags = [...helpText.matchAll(/^ {2}(--[a-z-]+)/gmu)].map((match) => match[1] ?? "");
  assert.ok(flags.length >= 13);
  for (const flag of flags.filter((name) => name !== "--help")) assert.match(server, new RegExp(`\`${flag}[\` ]`, "u"));
});

test("the HTTP page has every field of a request", () => {
  for (const field of Object.keys(RouteRequestSchema.properties)) assert.ok(http.includes(`- \`${field}\`: `), field);
});

test("statuses and codes of the HTTP page are those of the table of errors", () => {
  const rows = [...docSection(http, "Asking for a route").matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gmu)];
  assert.ok(rows.length >= 10);
  const statuses = new Map(Object.entries(errorCodes).map(([code, { httpStatus }]) => [code, httpStatus]));
  for (const [, status, code = ""] of rows) assert.is(statuses.get(code), Number(status), code);
});

test("the error of the HTTP page has title and status of its code", () => {
  const example = codeBlocks(http, "json").find((block) => block.includes('"title"')) ?? "";
  const { code, ...shown } = JSON.parse(example) as { code: keyof typeof errorCodes; title: string; status: number };
  assert.equal([shown.title, shown.status], [errorCodes[code].meaning, errorCodes[code].httpStatus]);
});

test("the page about trust policies has every field of one", () => {
  for (const field of Object.keys(TrustPolicySchema.properties)) assert.ok(trust.includes(`\`${field}`), field);
  for (const field of ["key_id", "public_key", "valid_from", "valid_until", "max_approval_days", "clock_skew_sec"]) {
    assert.ok(trust.includes(field), field);
  }
});

test("every example is linked from the page that explains it", () => {
  const pages: Readonly<Record<string, string>> = {
    "active-catalog.mjs": docPage("how-to/client.md"),
    "allowed-signers.sh": verify,
    "authorizer.mjs": authorize,
    "chat-loop.mjs": docPage("how-to/client.md"),
    "check-signatures.py": verify,
    "few-tools.mjs": docPage("how-to/shortlist.md"),
    "in-process.mjs": docPage("how-to/use-as-a-library.md"),
    "project.mjs": docPage("how-to/use-as-a-library.md"),
    "token-authorizer.mjs": authorize,
    "tools-first.mjs": docPage("how-to/client.md"),
    "verify-bundle.sh": verify,
    "verify-history.sh": verify,
    "workbench.mjs": docPage("how-to/use-as-a-library.md"),
  };
  const files = readdirSync(examples).filter((file) => /\.(?:mjs|py|sh)$/u.test(file));
  assert.equal(files.sort(), Object.keys(pages));
  for (const [file, page] of Object.entries(pages)) assert.ok(page.includes(`(../examples/${file})`), file);
});

test("the documented grant policy grants by headers of a proxy", async () => {
  const [text = ""] = codeBlocks(authorize, "yaml");
  await inTemporaryFolder(async (folder) => {
    const file = join(folder, "grants.yaml");
    writeFileSync(file, text);
    const policy = await readGrantPolicy(file);
    const grants = (claims: Record<string, string>) => grantsBy(policy)(claims, ["every.one"]).workflowIds;
    assert.equal(grants({ "x-auth-groups": "staff, finance" }), ["orders.status", "invoices.refund"]);
    assert.equal(grants({ "x-auth-user": "release-probe" }), ["every.one"]);
    assert.throws(() => grants({ "x-auth-user": "finance" }), /no rule/);
  });
});

test("the documented starts of sluice-serve are understood", () => {
  const blocks = [...codeBlocks(authorize, "sh"), ...codeBlocks(server, "")];
  const starts = blocks.filter((block) => block.startsWith("sluice-serve "));
  const kinds = starts.map((block) => {
    const words = block.replaceAll("\\\n", " ").trim().split(/\s+/u).slice(1);
    const command = parseServeArguments(words, {});
    return command.kind === "serve" ? command.options.authorizer.kind : command.kind;
  });
  assert.equal(kinds, ["proxy", "module"]);
});

test("the example authorizer grants by principal and denies everybody else", async () => {
  const authorizer = await loadAuthorizer("authorizer.mjs", examples);
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["localhost"], corsOrigins: [] });
  const router = fixtureRouter();
  const app = createApp(router, { authorizer, settings });
  const ask = (headers: Record<string, string>) =>
    app.inject({
      method: "POST",
      url: "/v1/route",
      headers: { host: "localhost", ...headers },
      payload: { text: "x", catalog_version: "cat-1", allowed_workflow_ids: ["orders.status", "card.block"] },
    });
  try {
    assert.is((await ask({})).statusCode, 403);
    assert.is((await ask({ "x-authenticated-principal": "constructor" })).statusCode, 403);
    assert.is((await ask({ "x-authenticated-principal": "portal" })).statusCode, 200);
    assert.equal(router.seen[0]?.allowed_workflow_ids, ["orders.status"]);
  } finally {
    await app.close();
  }
});

test("the in-process example loads, serves, replaces and rolls back approved bundles", async () => {
  const example = (await import(pathToFileURL(join(examples, "in-process.mjs")).href)) as InProcessExample;
  await inTemporaryFolder(async (folder) => {
    const trust = join(folder, "trust.json");
    writeFileSync(trust, testTrustBytes());
    const load = async (name: string): Promise<Router> => {
      await writeServableBundle(join(folder, name), name);
      return example.loadBundle(join(folder, name), trust, { clock: () => testNow });
    };
    const authorizer = await loadAuthorizer("authorizer.mjs", examples);
    const service = example.createService(await load("catalog-1"), {
      authorizer,
      trustedHosts: ["localhost"],
      principalOf: ({ headers }) => headers["x-user"],
    });
    const { app, runtime } = service;
    const ask = async (version: string) => {
      const payload = { text: "where is my order", catalog_version: version, allowed_workflow_ids: ["orders.status"] };
      const headers = { host: "localhost", "x-user": "portal" };
      const answer = await app.inject({ method: "POST", url: "/v1/route", headers, payload });
      return [answer.statusCode, answer.json<{ workflow_id?: string }>().workflow_id];
    };
    await writeServableBundle(join(folder, "refused"), "catalog-3", { approvers: [], manifest: { top_k: 9 } });
    const refused = example.loadBundle(join(folder, "refused"), trust, { clock: () => testNow });
    const lines = example.refusalLines(await rejects(refused, "THRESHOLD_NOT_MET"));
    assert.match(
      lines.join("\n"),
      /^manifest: THRESHOLD_NOT_MET: .*\nidentities: IDENTITY_MISMATCH: topK: running 8, signed 9$/,
    );
    try {
      assert.equal(await ask("catalog-1"), [200, "orders.status"]);
      const first = runtime.snapshot().bundleId;
      assert.is((await example.replaceBundle(runtime, await load("catalog-2"))).generation, 2);
      assert.equal(await ask("catalog-2"), [200, "orders.status"]);
      assert.equal(await ask("catalog-1"), [409, undefined]);
      const back = example.rollBack(runtime);
      assert.equal([back.generation, back.bundleId], [3, first]);
      assert.equal(await ask("catalog-1"), [200, "orders.status"]);
      await rejects(example.replaceBundle(runtime, fixtureRouter({ mode: "development" })), "MODE_CHANGE");
    } finally {
      await example.stopService(service);
    }
  });
});

interface ShellRun {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the script of the page in a folder with bundle/ and trust.json. */
function runCommands(folder: string, env: Record<string, string> = {}): ShellRun {
  const { status, stdout, stderr } = spawnSync("sh", [join(examples, "verify-bundle.sh")], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C", ...env },
  });
  return { status, output: `${stdout}${stderr}` };
}

async function inBundleFolder(run: (folder: string) => void): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    await writeTestBundle(join(folder, "bundle"));
    writeFileSync(join(folder, "trust.json"), testTrustBytes());
    run(folder);
  });
}

/** Registers a test that needs the programs of the page. */
function testWithTools(name: string, body: () => Promise<void>): void {
  const needed = ["openssl", "jq", "sha256sum", "base64"];
  const missing = needed.find((program) => spawnSync(program, ["--version"]).error !== undefined);
  if (missing === undefined) test(name, body);
  else skipTest(name, missing);
}

testWithTools("the script without Sluice accept manifest and approvals of an approved bundle", async () => {
  await inBundleFolder((folder) => {
    const manifest = runCommands(folder);
    assert.is(manifest.status, 0, manifest.output);
    assert.match(manifest.output, /Signature Verified Successfully\nsigned by pam/);
    for (const person of ["ana", "bob"]) {
      const approval = runCommands(folder, { envelope: `bundle/approvals/${person}.dsse.json` });
      assert.is(approval.status, 0, approval.output);
      assert.ok(approval.output.includes(`Signature Verified Successfully\nsigned by ${person}`), approval.output);
    }
  });
});

const envelopeOf = (folder: string) => join(folder, "bundle", "manifest.dsse.json");

/** Ways to break a bundle, and the step that must notice. */
const damages: Readonly<Record<string, { readonly damage: (folder: string) => void; readonly notice: RegExp }>> = {
  "another payload": {
    damage: (folder) => {
      const envelope = JSON.parse(readFileSync(envelopeOf(folder), "utf8")) as { payload: string };
      const payload = Buffer.from(envelope.payload, "base64").toString("utf8").replace("2026.3.1", "2026.3.2");
      const changed = { ...envelope, payload: Buffer.from(payload).toString("base64") };
      writeFileSync(envelopeOf(folder), JSON.stringify(changed));
    },
    notice: /Signature Verification Failure/,
  },
  "a key id of somebody else": {
    damage: (folder) => {
      const trust = JSON.parse(testTrustBytes().toString("utf8")) as {
        principals: { keys: { public_key: string }[] }[];
      };
      const keys = trust.principals.flatMap((principal) => principal.keys);
      const [first, second] = keys;
      if (first !== undefined && second !== undefined) first.public_key = second.public_key;
      writeFileSync(join(folder, "trust.json"), JSON.stringify(trust));
    },
    notice: /key\.der: FAILED/,
  },
  "another bundle id": {
    damage: (folder) => {
      const file = join(folder, "bundle", "bundle.json");
      const index = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...index, bundle_id: "0".repeat(64) }));
    },
    notice: /manifest\.json: FAILED/,
  },
  "a changed document": {
    damage: (folder) => writeFileSync(join(folder, "bundle", "policy.json"), "{}"),
    notice: /policy\.json: FAILED/,
  },
};

for (const [name, { damage, notice }] of Object.entries(damages)) {
  testWithTools(`the script without Sluice notice ${name}`, async () => {
    await inBundleFolder((folder) => {
      damage(folder);
      const { status, output } = runCommands(folder);
      assert.is.not(status, 0, output);
      assert.match(output, notice);
    });
  });
}

testWithTools("the script without Sluice notice a model file that bundle.json does not list", async () => {
  await inBundleFolder((folder) => {
    writeFileSync(join(folder, "bundle", "models", "verifier", "extra.bin"), "extra");
    assert.is.not(runCommands(folder).status, 0);
  });
});

testWithTools("the script without Sluice notice the approval of another bundle", async () => {
  await inBundleFolder((folder) => {
    const approval = join(folder, "bundle", "approvals", "ana.dsse.json");
    const envelope = JSON.parse(readFileSync(approval, "utf8")) as { payload: string };
    const payload = Buffer.from(envelope.payload, "base64").toString("utf8");
    const changed = payload.replace(/"sha256":"[0-9a-f]{64}"/u, `"sha256":"${"1".repeat(64)}"`);
    writeFileSync(approval, JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString("base64") }));
    assert.is.not(runCommands(folder).status, 0);
  });
});
