import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { sluice } from "../cli/support/sluice.js";
import { succeed } from "../cli/support/small-workspace.js";

/** A release of a project: who signs, which keys are made, when the policy is written and the bundle exported. */
const test = suite("e2e/project-release");

interface Release {
  readonly steps: readonly { readonly name: string; readonly state: string }[];
  readonly release: {
    readonly trust: string;
    readonly directory: string | null;
    readonly standing: { readonly approved: boolean; readonly can_sign: readonly string[] };
    readonly people: readonly { readonly person: string; readonly keyId: string | null }[];
  } | null;
}

const secret = (person: string) => ({ SLUICE_PASSPHRASE: `the passphrase of ${person}` });
const people = ["--producer", "ann", "--approver", "bo", "--approver", "cy"];
const workspace = (cwd: string, ...names: readonly string[]): string => join(cwd, "shop", "sluice-workspace", ...names);

const releaseAs = (cwd: string, person: string, ...more: readonly string[]) =>
  sluice(["run", "-C", "shop", "--release", ...more, "--json"], { cwd, env: secret(person) });

const approveAs = (cwd: string, person: string) =>
  sluice(["approve", "-C", "shop", "--approver", person, "--yes", "--json"], { cwd, env: secret(person) });

const resultOf = (stdout: string): Release => (JSON.parse(stdout) as { readonly result: Release }).result;

test("a release needs named people; they are saved in the project file and nothing else of it changes", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop");
    const before = await readFile(join(cwd, "shop", "sluice.yaml"), "utf8");
    const unnamed = await releaseAs(cwd, "ann");
    assert.is(unnamed.code, 2);
    assert.match(unnamed.stdout, "two approvers");
    const own = await releaseAs(cwd, "ann", "--producer", "ann", "--approver", "ann", "--approver", "bo");
    assert.is(own.code, 2);
    assert.match(own.stdout, /producer \\"ann\\" is also an approver/);
    const twice = await releaseAs(cwd, "ann", "--producer", "ann", "--approver", "bo", "--approver", "bo");
    assert.match(twice.stdout, /approver \\"bo\\" is listed twice/);
    assert.is(await readFile(join(cwd, "shop", "sluice.yaml"), "utf8"), before);

    const signed = await releaseAs(cwd, "ann", ...people);
    assert.is(signed.code, 0, signed.stdout);
    const after = await readFile(join(cwd, "shop", "sluice.yaml"), "utf8");
    assert.ok(after.startsWith(before));
    const others = await releaseAs(cwd, "ann", "--producer", "dan", "--approver", "bo", "--approver", "cy");
    assert.is(others.code, 2);
  }));

test("each person's first signature makes a key; the policy is written with the last key and the bundle exported", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", ...people);
    const first = resultOf((await releaseAs(cwd, "ann")).stdout);
    assert.is(first.release?.trust, "drafted");
    assert.equal(first.release?.standing.can_sign, ["bo", "cy"]);

    const again = resultOf((await releaseAs(cwd, "somebody else")).stdout);
    assert.ok(again.steps.every(({ state }) => state === "up_to_date"));

    const self = await approveAs(cwd, "ann");
    assert.is(self.code, 4, self.stdout);
    assert.match(self.stdout, "SELF_APPROVAL");
    const stranger = await approveAs(cwd, "eve");
    assert.is.not(stranger.code, 0);
    assert.not(existsSync(workspace(cwd, "keys", "eve.pem")));

    const one = resultOf((await approveAs(cwd, "bo")).stdout);
    assert.equal([one.release?.trust, one.release?.standing.approved], ["drafted", false]);
    assert.not(existsSync(workspace(cwd, "trust.json")));
    assert.not(existsSync(workspace(cwd, "bundle")));
    const twice = await approveAs(cwd, "bo");
    assert.match(twice.stdout, "a person counts once");

    const two = resultOf((await approveAs(cwd, "cy")).stdout);
    assert.equal([two.release?.trust, two.release?.standing.approved], ["written", true]);
    assert.ok(existsSync(workspace(cwd, "bundle", "manifest.dsse.json")));
    assert.is((await sluice(["bundle", "verify", "-C", "shop"], { cwd })).code, 0);
    assert.is((await sluice(["history", "verify", "-C", "shop"], { cwd })).code, 0);
  }));

test("a key that is lost while the policy is drafted is not replaced, and none is made once the policy is in force", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", ...people);
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

test("findings of the audit stop a release until somebody says why they may stay", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", ...people);
    const file = join(cwd, "shop", "requests.jsonl");
    const rows = (await readFile(file, "utf8")).replace(/"text":"/, '"text":"write to ann@example.com, ');
    await writeFile(file, rows);
    const stopped = await releaseAs(cwd, "ann");
    assert.is(stopped.code, 3, stopped.stdout);
    assert.match(stopped.stdout, "personal_data");
    assert.not(existsSync(workspace(cwd, "keys", "ann.pem")));
    const answered = await releaseAs(cwd, "ann", "--accept", "an invented address");
    assert.is(answered.code, 0, answered.stdout);
  }));

test.run();
