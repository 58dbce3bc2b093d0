import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Consumer, copyExample, installPacked, registryAnswers } from "../support/installed-package.js";
import { skipTest } from "../support/shared.js";

const test = suite<{ consumer: Consumer }>("e2e/package");

/** Loads the bundle of the quickstart with the example of docs/how-to/embed.md, asks once, and ends. */
const program = `
import { readFileSync } from "node:fs";
import { LoggingTelemetrySink } from "sluice/serve";
import { createService, loadBundle, stopService } from "./in-process.mjs";

const workspace = "sluice-workspace";
const router = await loadBundle(workspace + "/bundle", workspace + "/trust.json", {
  telemetry: new LoggingTelemetrySink(),
  environment: "demonstration",
  allowDemonstration: true,
});
const ids = [...router.workflowIds];
const service = createService(router, { authorizer: () => ids, trustedHosts: ["localhost"], principalOf: () => "me" });
const payload = { text: "my account is locked", catalog_version: router.lineage.catalogVersion, allowed_workflow_ids: ids };
const answer = await service.app.inject({ method: "POST", url: "/v1/route", headers: { host: "localhost" }, payload });
console.error(JSON.stringify([answer.statusCode, Object.keys(answer.json()).length]));
await stopService(service);
`;

/** Does the whole job with the example of docs/how-to/use-as-a-library.md on the shipped example data. */
const releaseProgram = `
import { releaseFromCsv } from "./workbench.mjs";

const { directory } = await releaseFromCsv({
  csv: "node_modules/sluice/datasets/example/support-requests.csv",
  folder: "my-router",
  producer: "ann",
  approvers: ["bo", "cy"],
  passphraseOf: async (name) => "for this test only: " + name,
  target: 0.3,
});
console.log(directory);
`;

function holdsFor(name: string, body: (consumer: Consumer) => void): void {
  test(name, ({ consumer }) => body(consumer));
}

if (registryAnswers()) {
  test.before((context) => {
    context.consumer = installPacked();
  });
  test.after(({ consumer }) => consumer.remove());

  holdsFor(
    "a plain npm install needs the npm registry and nothing else, and warns about no engine",
    ({ installed }) => {
      assert.is(installed.code, 0, installed.stderr);
      assert.not.match(installed.stderr, /EBADENGINE|deprecated/);
    },
  );

  holdsFor("the installed doctor finds everything in order", ({ run }) => {
    const { code, stdout } = run("npx", "sluice", "doctor");
    assert.is(code, 0, stdout);
    assert.match(stdout, /^ok +better-sqlite3 .*\nok +onnxruntime-node /m);
  });

  holdsFor("the installed quickstart does the whole job, and names a next command that exists there", ({ run }) => {
    const { code, stderr } = run("npx", "sluice", "quickstart", "--check");
    assert.is(code, 0, stderr);
    assert.match(stderr, /^next +npx sluice quickstart$/m);
    const refused = run("npx", "sluice", "calibrate", "show", "--workspace", "none");
    assert.match(refused.stderr, /^hint +.*npx sluice /m);
  });

  holdsFor("the installed program derives the claim of the quickstart again", ({ run }) => {
    const { code, stdout, stderr } = run("npx", "sluice", "reproduce");
    assert.is(code, 0, stderr);
    assert.match(stdout, /^verdict +equal/m);
  });

  holdsFor("the in-process example serves the bundle of the quickstart from there", (consumer) => {
    copyExample(consumer, "in-process.mjs");
    writeFileSync(join(consumer.folder, "ask.mjs"), program);
    const { code, stdout, stderr } = consumer.run("node", "ask.mjs");
    assert.is(code, 0, stderr);
    assert.equal(JSON.parse(stderr.trim().split("\n").at(-1) ?? ""), [200, 13]);
    assert.match(stdout, /"event":"sluice.decision"/);
  });

  holdsFor("the workbench example goes from a CSV to an exported bundle from there", (consumer) => {
    copyExample(consumer, "workbench.mjs");
    writeFileSync(join(consumer.folder, "release.mjs"), releaseProgram);
    const { code, stdout, stderr } = consumer.run("node", "release.mjs");
    assert.is(code, 0, stderr);
    assert.ok(existsSync(join(consumer.folder, stdout.trim(), "manifest.dsse.json")));
  });

  holdsFor("every page that the README links to is in the package", ({ folder }) => {
    const home = join(folder, "node_modules", "sluice");
    const links = [...readFileSync(join(home, "README.md"), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)];
    assert.ok(links.length > 15);
    assert.equal(
      links.map(([, path = ""]) => path).filter((path) => !existsSync(join(home, path))),
      [],
    );
  });
} else {
  for (const name of ["install", "doctor", "quickstart", "in-process example", "workbench example"]) {
    skipTest(`e2e/package: ${name}`, "an npm registry that answers");
  }
}

test.run();
