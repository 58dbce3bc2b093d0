import { lineOf, type Invocation } from "../../src/base/invocation.js";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "../cli/support/sluice.js";
import { measuredProject, releasedBy, succeed } from "../cli/support/small-workspace.js";

/** A release of a project: who signs, which keys are made, when the policy is written and the bundle exported. */

interface Release {
  readonly steps: readonly { readonly name: string; readonly state: string }[];
  readonly release: {
    readonly trust: string;
    readonly directory: string | null;
    readonly status: { readonly approved: boolean; readonly can_sign: readonly string[] };
    readonly people: readonly { readonly person: string; readonly keyId: string | null }[];
  } | null;
}

const secret = (person: string) => ({ SLUICE_PASSPHRASE: `the passphrase of ${person}` });
const workspace = (cwd: string, ...names: readonly string[]): string => join(cwd, "shop", "sluice-workspace", ...names);

const releaseAs = (cwd: string, person: string, ...more: readonly string[]) =>
  sluice(["run", "-C", "shop", "--release", ...more, "--json"], { cwd, env: secret(person) });

const approveAs = (cwd: string, person: string) =>
  sluice(["approve", "-C", "shop", "--approver", person, "--yes", "--json"], { cwd, env: secret(person) });

interface Status {
  readonly result: {
    readonly up_to_date: boolean;
    readonly release: {
      readonly signed: boolean;
      readonly latest: Release["release"];
      readonly serving: { readonly bundle_id: string | null } | null;
    } | null;
  };
  /** As lines of a shell. */
  readonly next: readonly string[];
}

const statusOf = async (cwd: string): Promise<Status> => {
  const { stdout } = await sluice(["status", "-C", "shop", "--json"], { cwd });
  const status = JSON.parse(stdout) as Status & { readonly next: readonly Invocation[] };
  return { ...status, next: status.next.map(lineOf) };
};

const resultOf = (stdout: string): Release => (JSON.parse(stdout) as { readonly result: Release }).result;

test("a release needs named people; they are saved in the project file, which is otherwise unchanged", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "sluice.yaml");
    const before = (await readFile(file, "utf8")).replace(/^people:.*\n(?: {2}.*\n)+/m, "");
    assert.not.match(before, /^people:/m);
    await writeFile(file, before);
    const unnamed = await releaseAs(cwd, "ann");
    assert.is(unnamed.code, 2);
    assert.match(unnamed.stdout, "two approvers");
    const own = await releaseAs(cwd, "ann", "--producer", "ann", "--approver", "ann", "--approver", "bo");
    assert.is(own.code, 2);
    assert.match(own.stdout, /producer \\"ann\\" is also an approver/);
    const twice = await releaseAs(cwd, "ann", "--producer", "ann", "--approver", "bo", "--approver", "bo");
    assert.match(twice.stdout, /approver \\"bo\\" is listed twice/);
    assert.is(await readFile(file, "utf8"), before);

    const signed = await releaseAs(cwd, "ann", ...releasedBy);
    assert.is(signed.code, 0, signed.stdout);
    const after = await readFile(file, "utf8");
    assert.ok(after.startsWith(before));
    const others = await releaseAs(cwd, "ann", "--producer", "dan", "--approver", "bo", "--approver", "cy");
    assert.is(others.code, 2);
  }));

test("each person's first signature makes a key; the policy is written with the last key and the bundle exported", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const first = resultOf((await releaseAs(cwd, "ann")).stdout);
    assert.is(first.release?.trust, "drafted");
    assert.equal(first.release?.status.can_sign, ["bo", "cy"]);

    const again = resultOf((await releaseAs(cwd, "somebody else")).stdout);
    assert.ok(again.steps.every(({ state }) => state === "up_to_date"));

    const self = await approveAs(cwd, "ann");
    assert.is(self.code, 4, self.stdout);
    assert.match(self.stdout, "APPROVAL_NOT_COUNTED");
    const stranger = await approveAs(cwd, "eve");
    assert.is.not(stranger.code, 0);
    assert.not(existsSync(workspace(cwd, "keys", "eve.pem")));

    const one = resultOf((await approveAs(cwd, "bo")).stdout);
    assert.equal([one.release?.trust, one.release?.status.approved], ["drafted", false]);
    assert.not(existsSync(workspace(cwd, "trust.json")));
    assert.not(existsSync(workspace(cwd, "bundle")));
    const twice = await approveAs(cwd, "bo");
    assert.match(twice.stdout, "has approved already");

    const two = resultOf((await approveAs(cwd, "cy")).stdout);
    assert.equal([two.release?.trust, two.release?.status.approved], ["written", true]);
    assert.ok(existsSync(workspace(cwd, "bundle", "manifest.dsse.json")));
    assert.is((await sluice(["bundle", "verify", "-C", "shop"], { cwd })).code, 0);
    assert.is((await sluice(["history", "verify", "-C", "shop"], { cwd })).code, 0);

    const renewal = ["approve", "-C", "shop", "--approver", "bo", "--yes", "--renew", "--days", "40"];
    assert.is((await sluice(renewal, { cwd, env: secret("bo") })).code, 0);
    const approvals = await readdir(workspace(cwd, "bundle", "approvals"));
    assert.equal(approvals.sort(), ["bo.2.dsse.json", "bo.dsse.json", "cy.dsse.json"], "the folder has the renewal");
    assert.is((await sluice(["bundle", "verify", "-C", "shop"], { cwd })).code, 0);
  }));

test("a rejection is shown with its reason before the approvals are complete, and the next step is another bundle", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    assert.is((await releaseAs(cwd, "ann")).code, 0);
    const shown = (await sluice(["manifest", "show", "-C", "shop"], { cwd })).stdout.replace(/\s+/g, " ");
    const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show", "-C", "shop");
    const answerTo = (question: string) => page.questions.find((asked) => asked.question === question)?.answer ?? "";
    assert.match(answerTo("To which workflows can texts be routed?"), /^The 12 tested ones: .*cancel_order, .*No text/);
    assert.match(
      answerTo("How many requests are routed?"),
      /^\d+\/\d+ = .* The others are declined or answered with a question\.$/,
    );
    assert.match(
      answerTo("How much evidence is behind the promise?"),
      /^\d+ routed requests(, each of which the claim's test counts as independent|, which count as at most [\d.,]+ independent requests: near-copies)/,
    );
    const [, onPage = ""] = /Questions before you sign(.*)Decisions so far/.exec(shown) ?? [];
    assert.match(onPage, "How many requests are routed?");
    assert.match(onPage, "To which workflows can texts be routed?");
    assert.match(
      answerTo("Was the planned target met?"),
      /^No: \d+% was planned; the strictest that passed is \d+%\.$/,
    );
    assert.not.match(answerTo("Which workflows are often wrong or declined?"), "The claim counts");
    assert.match(
      answerTo("What does the calibration warn about?"),
      /^\d+ out-of-scope requests have no group_id, .* the promise is too optimistic: give those one group_id in requests\.jsonl\.$/,
    );
    const warned = /What does the calibration warn about\? .*? in requests\.jsonl\./;
    assert.match(onPage, warned, "each warning is a sentence, and none is truncated");
    assert.not.match(onPage, "...");
    assert.match(shown, /none is held out/);
    const words = ["reject", "-C", "shop", "--approver", "bo", "--yes", "--reason", "too many wrong routes"];
    const rejected = await sluice(words, { cwd, env: secret("bo") });
    assert.is(rejected.code, 0, rejected.stderr);
    for (const stdout of [rejected.stdout, (await sluice(["status", "-C", "shop"], { cwd })).stdout])
      assert.match(stdout, /^rejected +by bo: too many wrong routes$/m);
    assert.equal((await statusOf(cwd)).next, ["sluice eval errors -C shop", "sluice run -C shop"]);
  }));

test("a decision that was pulled without the person's public key is named as unchecked, not as nobody's", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    assert.is((await releaseAs(cwd, "ann")).code, 0);
    await cp(join(cwd, "shop"), join(cwd, "bo"), { recursive: true });
    const reason = ["--reason", "too many wrong routes"];
    const signed = await sluice(["reject", "-C", "bo", "--approver", "bo", "--yes", ...reason], {
      cwd,
      env: secret("bo"),
    });
    assert.is(signed.code, 0, signed.stderr);
    for (const [verb, from] of [
      ["push", "bo"],
      ["pull", "shop"],
    ] as const) {
      const moved = await sluice(["history", verb, "../team", "-C", from], { cwd });
      assert.is(moved.code, 0, moved.stderr);
    }
    const { stdout } = await sluice(["status", "-C", "shop"], { cwd });
    assert.match(stdout, /^approved +unknown; 2 approvals are needed$/m);
    const key = "shop/sluice-workspace/keys/bo.pub.pem";
    assert.match(stdout, `a decision by bo, because ${key} is missing: copy it, or trust.json, from the folder of bo`);
    assert.equal((await statusOf(cwd)).next, ["sluice approve --approver cy -C shop"]);
    const shown = (await sluice(["manifest", "show", "-C", "shop"], { cwd })).stdout.replace(/\s+/g, " ");
    assert.match(shown, "A decision by bo cannot be checked: bo.pub.pem is missing. 2 of 2 approvals");
    assert.not.match(shown, "Nobody has approved");

    await cp(join(cwd, "bo", "sluice-workspace", "keys", "bo.pub.pem"), workspace(cwd, "keys", "bo.pub.pem"));
    const checked = (await sluice(["status", "-C", "shop"], { cwd })).stdout;
    assert.match(checked, /^rejected +by bo: too many wrong routes$/m);
    assert.not.match(checked, /^unchecked/m);
    await describesRejectedRelease(cwd);
  }));

/** The page of release 2 names the rejected release 1. */
async function describesRejectedRelease(cwd: string): Promise<void> {
  const file = join(cwd, "shop", "sluice.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace(/confidence: 0\.95/, "confidence: 0.94"));
  assert.is((await releaseAs(cwd, "ann")).code, 0);
  const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show", "-C", "shop");
  assert.is(page.release, 2);
  assert.match(
    page.change_note,
    /^Release 1 was rejected by bo: too many wrong routes\. To compare release 1 with this one: .*\. No release has been/,
  );
  const [, command = ""] = /sluice (eval compare \w+ \w+)/.exec(page.change_note) ?? [];
  const compared = await sluice([...command.split(" "), "-C", "shop", "--out", "comparison.md"], { cwd });
  assert.is(compared.code, 0, compared.stderr);
  assert.not.match(JSON.stringify(page.questions), "There is no earlier release");
}

/** A catalog that changed under the version of release 1 gets the next version before anything is measured. */
async function raisesReleasedVersion(cwd: string): Promise<void> {
  const catalogFile = join(cwd, "shop", "catalog.yaml");
  const released = await readFile(catalogFile, "utf8");
  const version = /^catalog_version: "?([^"\n]+?)-1"?$/m.exec(released)?.[1] ?? "";
  await writeFile(catalogFile, `${released}# edited\n`);
  const said = `catalog_version is now ${version}-2: release 1 has ${version}-1 for a different catalog`;
  const raised = await sluice(["run", "-C", "shop", "--until", "import"], { cwd });
  assert.ok(raised.stderr.includes(`warning  ${said}`), raised.stderr);
  const edited = await readFile(catalogFile, "utf8");
  assert.is(edited, `${released}# edited\n`.replace(/^(catalog_version: ).*$/m, `$1"${version}-2"`));
  const again = await sluice(["run", "-C", "shop", "--until", "import"], { cwd });
  assert.not.match(again.stderr, "catalog_version is now");
  await writeFile(catalogFile, released);
}

/** On the page of release 2, a rate has one count and one interval wherever it stands. */
async function comparesAsMeasured(cwd: string): Promise<void> {
  const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show", "-C", "shop");
  assert.match(page.changes?.compared_on ?? "", "216 requests");
  assert.match(page.changes?.thresholds.join() ?? "", /^tier medium: /, "no tier that the catalog lacks");
  const now = new Map(page.changes?.metrics.map((metric) => [metric.label, metric.now]));
  const shared = page.measured.filter(({ label }) => now.has(label));
  assert.ok(shared.length >= 3, "the page measures what it compares");
  for (const { label, text } of shared) assert.is(now.get(label), text.replace(/(?:,? limit .*| \[.*\])$/u, ""), label);
}

test("status says what is signed, approved, missing, exported and served, and the next command", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", ...releasedBy);
    const fresh = await statusOf(cwd);
    assert.equal([fresh.result.release?.signed, fresh.result.release?.latest], [false, null]);
    assert.equal(fresh.next, ["sluice run -C shop"]);
    const planned = await succeed<Release>(cwd, "run", "-C", "shop", "--release", "--dry-run");
    assert.equal(planned.steps.at(-1), { name: "release", state: "planned", summary: "", milliseconds: 0 });

    await rm(join(cwd, "shop"), { recursive: true });
    await measuredProject(cwd);
    const measured = await statusOf(cwd);
    assert.equal([measured.result.up_to_date, measured.result.release?.signed], [true, false]);
    assert.equal(measured.next, ["sluice run --release -C shop"]);

    assert.is((await releaseAs(cwd, "ann")).code, 0);
    const signed = await statusOf(cwd);
    assert.is(signed.result.release?.signed, true);
    const approveLines = ["bo", "cy"].map((name) => `sluice approve --approver ${name} -C shop`);
    assert.equal(signed.next, ["sluice report release -C shop", ...approveLines]);
    const unserved = (await sluice(["status", "-C", "shop"], { cwd })).stdout;
    assert.match(unserved, /^to sign +bo and cy$/m);
    assert.match(unserved, /^exported +nothing yet$/m);

    assert.is((await approveAs(cwd, "bo")).code, 0);
    assert.equal((await statusOf(cwd)).next, approveLines.slice(1));
    assert.is((await approveAs(cwd, "cy")).code, 0);
    const ready = await statusOf(cwd);
    const bundle = ready.result.release?.serving?.bundle_id ?? "";
    assert.match(bundle, /^[0-9a-f]{64}$/);
    assert.match(ready.next[0] ?? "", /^sluice-serve --bundle shop\/sluice-workspace\/bundle /);

    await raisesReleasedVersion(cwd);

    const file = join(cwd, "shop", "sluice.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("target: auto", "target: 0.25"));
    assert.equal((await statusOf(cwd)).next, ["sluice run -C shop"]);
    assert.is((await releaseAs(cwd, "ann")).code, 0);
    await comparesAsMeasured(cwd);
    const newer = await statusOf(cwd);
    assert.is(newer.result.release?.serving?.bundle_id, bundle);
    assert.match((await sluice(["status", "-C", "shop"], { cwd })).stdout, /^exported .*, an earlier one, in shop/m);
    for (const name of ["bo", "cy"]) assert.is((await approveAs(cwd, name)).code, 0);
    assert.match((await statusOf(cwd)).next.join(), /^sluice bundle export --bundle [0-9a-f]{12} --replace -C shop$/);

    await rm(workspace(cwd, "bundle"), { recursive: true });
    assert.equal((await statusOf(cwd)).next, ["sluice run --release -C shop"]);
    assert.is((await releaseAs(cwd, "ann")).code, 0);
    assert.ok(existsSync(workspace(cwd, "bundle", "manifest.dsse.json")));
  }));

test("a dry run of a release names what it lacks, and saves nobody in the project file", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop");
    const before = await readFile(join(cwd, "shop", "sluice.yaml"), "utf8");
    const unnamed = await sluice(["run", "-C", "shop", "--release", "--dry-run"], { cwd });
    assert.is(unnamed.code, 2);
    assert.match(unnamed.stderr, "sluice run --release --producer NAME --approver NAME --approver NAME -C shop");
    await succeed(cwd, "run", "-C", "shop", "--release", "--dry-run", ...releasedBy);
    assert.is(await readFile(join(cwd, "shop", "sluice.yaml"), "utf8"), before);
    assert.not(existsSync(workspace(cwd)));
  }));

test("a key that is lost while the policy is drafted is not replaced, and none is made once the policy is in force", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    assert.is((await releaseAs(cwd, "ann")).code, 0);
    assert.is((await approveAs(cwd, "bo")).code, 0);
    await rm(workspace(cwd, "keys", "bo.pem"));
    const lost = await approveAs(cwd, "bo");
    assert.match(lost.stdout, "FILE_NOT_FOUND");
    assert.is((await approveAs(cwd, "cy")).code, 0);
    for (const name of ["cy.pem", "cy.pub.pem"]) await rm(workspace(cwd, "keys", name));
    const later = await approveAs(cwd, "cy");
    assert.match(later.stdout, "FILE_NOT_FOUND");
    assert.not(existsSync(workspace(cwd, "keys", "cy.pem")));
  }));

test("a gate that is not met stops a release before anything is signed, unless the producer says otherwise", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "sluice.yaml");
    await writeFile(file, `${await readFile(file, "utf8")}gates:\n  - coverage>=0.99\n`);
    const stopped = await releaseAs(cwd, "ann");
    assert.is(stopped.code, 3, stopped.stdout);
    assert.match(stopped.stdout, "coverage>=0.99");
    assert.not(existsSync(workspace(cwd, "keys", "ann.pem")));
    const told = await releaseAs(cwd, "ann", "--despite-gates");
    assert.is(told.code, 0, told.stdout);
    assert.ok(existsSync(workspace(cwd, "keys", "ann.pem")));
  }));

test("findings of the audit stop a release until somebody says why they may stay", () =>
  inTemporaryFolder(async (cwd) => {
    await measuredProject(cwd);
    const file = join(cwd, "shop", "requests.jsonl");
    const rows = (await readFile(file, "utf8")).replace(/"text":"/, '"text":"write to ann@example.com, ');
    const withdrawn = { id: "gone", text: "a joke about my cat", workflow_id: null, withdrawn: "not a request" };
    await writeFile(file, `${rows.trimEnd()}\n${JSON.stringify(withdrawn)}\n`);
    assert.is((await sluice(["run", "-C", "shop", "--until", "split"], { cwd })).code, 0);
    const stopped = await releaseAs(cwd, "ann");
    assert.is(stopped.code, 3, stopped.stdout);
    const finding = "requests that seem to contain personal data: 1";
    assert.match(stopped.stdout, `the audit of the requests has findings: ${finding}`);
    assert.not(existsSync(workspace(cwd, "keys", "ann.pem")));
    assert.equal((await statusOf(cwd)).next, ["sluice run --release --accept REASON -C shop"]);
    const open = (await sluice(["status", "-C", "shop"], { cwd })).stdout;
    assert.match(open, `${finding}. Accept or correct before a release`);
    const answered = await releaseAs(cwd, "ann", "--accept", "an invented address");
    assert.is(answered.code, 0, answered.stdout);
    assert.match(answered.stdout, `${finding}; the release accepts them: an invented address`);
    const settled = (await sluice(["status", "-C", "shop"], { cwd })).stdout;
    assert.match(settled, `${finding}; accepted by ann: an invented address`);
    assert.not.match(settled, "before a release");
    const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show", "-C", "shop");
    assert.match(JSON.stringify(page.questions), `Yes: ${finding}. Accepted by ann: an invented address.`);
    const [label] = page.edited?.listed ?? [];
    assert.equal([label?.id, label?.label, label?.what], ["gone", "(out of scope)", "withdrawn: not a request"]);
    assert.is(label?.by, "ann", "a run without a release is the producer's too");
    assert.not.match(JSON.stringify(page), "my cat");
    assert.not.match(JSON.stringify(page), "In simulations", "advice for the producer is not for approvers");
    const [first] = page.routed_workflows.listed;
    assert.ok(first !== undefined && first.tested > 0, "the tested workflows are measured");
    assert.match(JSON.stringify(page.questions), /Texts can be routed to \d+ workflows: .* in tier /);
  }));
