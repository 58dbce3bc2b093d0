import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, pluck, test } from "../support/test.js";
import { ownedCatalog, smallCatalog } from "./support/small-catalog.js";
import { sluice } from "./support/sluice.js";
import { fitSmallWorkspace, writeSmallTrust } from "./support/small-workspace.js";

interface ErrorDocument {
  readonly schema: string;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

const noOwner = 'orders.cancel: no owner: the field "owner" is missing';
const cancelLine = smallCatalog.slice(0, smallCatalog.indexOf("orders.cancel")).split("\n").length;

const withCatalog = <T>(content: string, run: (cwd: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "catalog.yaml"), content);
    return run(cwd);
  });

test("a checked catalog is a result on stdout, with the next step on stderr", () =>
  withCatalog(smallCatalog, async (cwd) => {
    const { code, stdout, stderr } = await sluice(["catalog", "check", "catalog.yaml"], { cwd });
    assert.is(code, 0);
    assert.match(stdout, /^catalog {5}small-1\n/);
    assert.match(stdout, /workflows {3}2, 2 active\n/);
    assert.is(
      stderr,
      `warning  not ready for production: catalog.yaml:${cancelLine}: ${noOwner}\nnext     sluice catalog show catalog.yaml\n`,
    );
  }));

test("with --json success is one document on stdout and nothing on stderr", () =>
  withCatalog(smallCatalog, async (cwd) => {
    const { code, stdout, stderr } = await sluice(["catalog", "check", "catalog.yaml", "--json"], { cwd });
    assert.is(code, 0);
    assert.is(stderr, "");
    const document = JSON.parse(stdout) as { schema: string; result: { tiers: object; production_problems: string[] } };
    assert.is(document.schema, "catalog-check@1");
    assert.equal(document.result.tiers, { low: 1, medium: 0, high: 1, critical: 0 });
    assert.equal(document.result.production_problems, [noOwner]);
  }));

test("a catalog that production refuses ends with 4, a complete one with 0", async () => {
  const args = ["catalog", "check", "catalog.yaml", "--production"];
  assert.is((await withCatalog(smallCatalog, (cwd) => sluice(args, { cwd }))).code, 4);
  assert.is((await withCatalog(ownedCatalog, (cwd) => sluice(args, { cwd }))).code, 0);
});

const faults: readonly {
  readonly what: string;
  readonly content: string;
  readonly code: string;
  readonly message: RegExp;
}[] = [
  {
    what: "malformed YAML",
    content: smallCatalog.replace("    name: Track an order", '    name: "Track an order'),
    code: "DOCUMENT_INVALID",
    message: /^catalog\.yaml: not well-formed YAML at line \d+, column \d+/,
  },
  {
    what: "an unknown field",
    content: `${smallCatalog}    colour: red\n`,
    code: "DOCUMENT_INVALID",
    message: /\/workflows\/1: unknown field "colour"/,
  },
  {
    what: "a duplicate id",
    content: smallCatalog.replace("orders.cancel", "orders.track"),
    code: "CATALOG_INVALID",
    message: /workflows\[1\]: duplicate workflow_id "orders\.track"/,
  },
];

for (const { what, content, code, message } of faults) {
  test(`${what} ends with 2, names the place, and is one document with --json`, () =>
    withCatalog(content, async (cwd) => {
      const plain = await sluice(["catalog", "check", "catalog.yaml"], { cwd });
      assert.is(plain.code, 2);
      assert.is(plain.stdout, "");
      const json = await sluice(["catalog", "check", "catalog.yaml", "--json"], { cwd });
      assert.is(json.code, 2);
      assert.is(json.stderr, "");
      const document = JSON.parse(json.stdout) as ErrorDocument;
      assert.is(document.schema, "error@1");
      assert.is(document.error.code, code);
      assert.match(document.error.message, message);
      assert.ok(document.error.hint);
    }));
}

test("a missing file ends with 2 on stderr", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stdout, stderr } = await sluice(["catalog", "check", "absent.yaml"], { cwd });
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.is(
      stderr,
      "error    FILE_NOT_FOUND: absent.yaml: no such file\nhint     Check the path. Paths are relative to the current folder, or to that of -C.\n",
    );
  }));

test("a missing file below -C is said to be looked for there", () =>
  inTemporaryFolder(async (cwd) => {
    await mkdir(join(cwd, "shop"));
    const { code, stderr } = await sluice(["catalog", "check", "mine.yaml", "-C", "shop"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "Paths are relative to the current folder, or to that of -C.");
  }));

test("an unknown flag ends with 2 and a suggestion", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["catalog", "check", "c.yaml", "--prodution"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /did you mean --production\?/);
  }));

test("a mistyped command, a verb without its noun and a mistyped flag of every command get the nearest one", () =>
  inTemporaryFolder(async (cwd) => {
    const cases: readonly (readonly [words: readonly string[], nearest: RegExp])[] = [
      [["catlog", "lint"], /there is no command "catlog"; did you mean "catalog"\?/],
      [["catalog", "lnit"], /there is no command "catalog lnit"; did you mean "catalog lint"\?/],
      [["aprove", "--approver", "bo"], /there is no command "aprove"; did you mean "approve"\?/],
      [["lint"], /there is no command "lint"; did you mean "catalog lint"\?/],
      [["catalog", "lint", "--quite"], /sluice catalog lint has no flag --quite; did you mean --quiet\?/],
    ];
    for (const [words, nearest] of cases) {
      const { code, stderr } = await sluice(words, { cwd });
      assert.is(code, 2);
      assert.match(stderr, nearest);
    }
  }));

test("a number that is none ends with 2", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["dataset", "split", "--seed", "NaN"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /--seed: found "NaN", expected a whole number/);
  }));

test("doctor finds this machine in order and writes nothing", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stdout } = await sluice(["doctor", "--json"], { cwd });
    assert.is(code, 0);
    const { result } = JSON.parse(stdout) as { result: { ok: boolean; checks: { name: string; ok: boolean }[] } };
    assert.is(result.ok, true);
    assert.equal(pluck(result.checks, "name"), ["node", "better-sqlite3", "onnxruntime-node", "workspace"]);
    assert.is((await sluice(["history", "log"], { cwd })).code, 2);
  }));

test("doctor opens what the workspace holds, and names each part that is garbage", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    await writeSmallTrust(cwd);
    const doctor = async () => {
      const { code, stdout } = await sluice(["doctor", "--json"], { cwd });
      const { result } = JSON.parse(stdout) as { result: { checks: { name: string; ok: boolean; found: string }[] } };
      const found = result.checks.slice(4).map(({ name, ok, found: words }) => [name, ok, words] as const);
      return { code, found };
    };
    const sound = await doctor();
    assert.is(sound.code, 0, JSON.stringify(sound.found));
    const names = ["history", "model", "model", "key", "key", "key", "key", "key", "key", "trust"];
    assert.equal(
      sound.found.map(([name]) => name),
      names,
    );
    assert.match(sound.found[0]?.[2] ?? "", /opens, \d+ entries/);
    const at = (...path: readonly string[]) => join(cwd, "sluice-workspace", ...path);
    for (const file of [at("history.db"), at("models", "verifier", "router_model.json"), at("trust.json")]) {
      await writeFile(file, "garbage");
    }
    await writeFile(at("keys", "bo.pub.pem"), "garbage");
    await mkdir(at("bundle"));
    const broken = await doctor();
    assert.is(broken.code, 1);
    assert.equal(
      broken.found.filter(([, ok]) => !ok).map(([name, , words]) => `${name} ${words.split(":")[0]}`),
      ["history DB_NOT_OURS", "model MODEL_INVALID", "key KEY_INVALID", "trust NOT_CANONICAL", "bundle NOT_CANONICAL"],
    );
  }));

test("doctor shows where each setting comes from, never a passphrase, and a variable that nothing reads", () =>
  inTemporaryFolder(async (cwd) => {
    const env = {
      SLUICE_ACTOR: "ann",
      SLUICE_PASSPHRASE: "hunter2hunter2",
      SLUICE_TRUST: "t.json",
      SLUICE_TRSUT: "u.json",
    };
    const { stdout, stderr } = await sluice(["doctor", "-w", "ws"], { cwd, env });
    assert.match(stdout, /^--workspace +ws +flag/m);
    assert.match(stdout, /^--actor +ann +environment/m);
    assert.match(stdout, /^--json +false +default/m);
    assert.match(stdout, /^SLUICE_TRUST +t\.json +environment +.*bundle verify/m);
    assert.match(stdout, /^SLUICE_PASSPHRASE +set, not shown +environment/m);
    assert.not.match(stdout, /hunter2/);
    assert.match(stderr, /no command reads SLUICE_TRSUT; did you mean SLUICE_TRUST\?/);
  }));

test("a key is created from the first line of a descriptor, and never shown again", () =>
  inTemporaryFolder(async (cwd) => {
    const created = await sluice(["key", "create", "ann", "--passphrase-fd", "0", "-w", "ws", "--json"], {
      cwd,
      input: "correct horse\nrest",
    });
    assert.is(created.code, 0);
    const { result } = JSON.parse(created.stdout) as { result: { key_id: string; public_key: string } };
    assert.is(result.public_key, join("ws", "keys", "ann.pub.pem"));
    assert.not.match(created.stdout, /horse/);
    assert.match(await readFile(join(cwd, "ws", "keys", "ann.pem"), "utf8"), /ENCRYPTED PRIVATE KEY/);
    const shown = await sluice(["key", "show", result.public_key], { cwd });
    assert.match(shown.stdout, new RegExp(`^key id {6}${result.key_id}\n`));
    const again = await sluice(["key", "create", "ann", "-w", "ws"], { cwd });
    assert.match(again.stderr, /FILE_EXISTS/);
  }));

test("an empty passphrase and a missing one are refused without waiting on an idle stdin", () =>
  inTemporaryFolder(async (cwd) => {
    const empty = await sluice(["key", "create", "ann"], { cwd, env: { SLUICE_PASSPHRASE: "" } });
    assert.is(empty.code, 2);
    assert.match(empty.stderr, /PASSPHRASE_MISSING: the passphrase is empty/);
    const missing = await sluice(["key", "create", "ann"], { cwd });
    assert.is(missing.code, 2);
    assert.match(missing.stderr, /PASSPHRASE_MISSING: no passphrase was given/);
  }));

test("Ctrl-C ends with 130 and prints the line that resumes", () =>
  inTemporaryFolder(async (cwd) => {
    const args = ["key", "create", "ann", "--passphrase-fd", "0"];
    const { code, stdout, stderr } = await sluice(args, { cwd, interruptAfter: "from descriptor 0" });
    assert.is(code, 130);
    assert.is(stdout, "");
    assert.match(stderr, /hint {5}Resume with: sluice key create ann --passphrase-fd 0\n$/);
  }));

test("a descriptor that is not open is a usage error", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["key", "create", "ann", "--passphrase-fd", "97"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /--passphrase-fd 97: cannot be read/);
  }));
