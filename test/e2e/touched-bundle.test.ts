/** Real servers on a folder whose files are touched, changed, and verified while requests come. */
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadBundle } from "../../serve/load-production-router.js";
import { assert, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { testMachine } from "../serve/support/serve-options.js";
import { testRevocations } from "../support/builders-artifacts.js";
import { inServedFolder, orderRequest } from "../support/served-bundles.js";
import { sha256Hex } from "../../src/base/sha256.js";

const pathsIn = (bundle: string): readonly string[] =>
  readdirSync(bundle, { recursive: true, encoding: "utf8" }).sort();
const filesIn = (bundle: string): readonly string[] =>
  pathsIn(bundle).filter((path) => lstatSync(join(bundle, path)).isFile());

test("touch and chmod of any file or folder decline no request, and the server stays ready", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const { address } = await served.start({ bundle });
    const touches: readonly ((path: string) => void)[] = [
      (path) => utimesSync(path, 1, 1),
      (path) => chmodSync(path, lstatSync(path).isFile() ? 0o600 : 0o700),
    ];
    for (const [index, path] of ["", ...pathsIn(bundle)].entries()) {
      for (const touch of index < 2 ? touches : touches.slice(index % 2, (index % 2) + 1)) {
        touch(join(bundle, path));
        const [route, ready] = await Promise.all([
          post(address, orderRequest(1)),
          send(address, { path: "/health/ready" }),
        ]);
        assert.equal([route.body["decision"], ready.status], ["ROUTE", 200], path);
      }
    }
  }));

test("a touched revocation list is read again while its request waits; a list that revokes declines it", () =>
  inServedFolder(async (served) => {
    const revocations = join(served.folder, "revocations.json");
    writeFileSync(revocations, await testRevocations([]));
    const { address, runtime } = await served.start({ bundle: await served.bundle(1), revocations });
    for (const seconds of [1, 2]) {
      utimesSync(revocations, seconds, seconds);
      assert.is((await post(address, orderRequest(1))).body["decision"], "ROUTE");
    }
    const revoked = [{ kind: "bundle", sha256: runtime.snapshot().bundleId ?? sha256Hex("") }] as const;
    writeFileSync(revocations, await testRevocations(revoked, { sequence: 2 }));
    assert.is((await post(address, orderRequest(1))).body["reason_code"], "RUNTIME_INTEGRITY_FAILURE");
    rmSync(revocations);
    assert.is((await post(address, orderRequest(1))).body["reason_code"], "RUNTIME_INTEGRITY_FAILURE");
  }));

/** Changes of one file, each of which must be noticed; `old` are its bytes. */
const changes: readonly (readonly [name: string, change: (file: string, old: Buffer) => void])[] = [
  ["one bit", (file, old) => writeFileSync(file, Buffer.from([(old[0] ?? 0) ^ 1, ...old.subarray(1)]))],
  ["one byte more", (file, old) => writeFileSync(file, Buffer.concat([old, Buffer.from("x")]))],
  ["a file less", (file) => rmSync(file)],
  [
    "another file renamed over it, with the old time",
    (file, old) => {
      const { atime, mtime } = lstatSync(file);
      writeFileSync(`${file}.new`, Buffer.from(old).fill(7));
      utimesSync(`${file}.new`, atime, mtime);
      renameSync(`${file}.new`, file);
    },
  ],
];

test("every file change is noticed by the first request, and reported to operators only", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const { address } = await served.start({ bundle });
    let noticed = 0;
    for (const [index, path] of filesIn(bundle).entries()) {
      const file = join(bundle, path);
      const old = readFileSync(file);
      // Two ways for each file, in turn.
      for (const [name, change] of [...changes, ...changes].slice(index % 4, (index % 4) + 2)) {
        change(file, old);
        const route = await post(address, orderRequest(1));
        assert.equal([route.status, route.body["reason_code"]], [200, "RUNTIME_INTEGRITY_FAILURE"], `${path}: ${name}`);
        assert.not.ok(route.text.includes(path), route.text);
        const ready = await send(address, { path: "/health/ready" });
        assert.is(ready.status, 503);
        assert.match(String(ready.body["problems"]), path);
        assert.not.ok(ready.text.includes(served.folder), ready.text);
        noticed += 1;
        writeFileSync(file, old);
        assert.is((await post(address, orderRequest(1))).body["decision"], "ROUTE", `${path}: restored`);
        assert.is((await send(address, { path: "/health/ready" })).status, 200);
      }
    }
    assert.is(noticed, 2 * filesIn(bundle).length);
    const told = served.lines.filter((line) => line.includes('"sluice.readiness"') && line.includes("policy.json"));
    assert.is(told.length, 2, "the log names the file");
  }));

/** A bundle with a file of zeros, so large that reading it takes long. It takes no room on the disk. */
function hostileCopy(bundle: string, folder: string): string {
  const hostile = join(folder, "hostile");
  cpSync(bundle, hostile, { recursive: true });
  writeFileSync(join(hostile, "models/verifier/large.bin"), "");
  truncateSync(join(hostile, "models/verifier/large.bin"), 512 * 1024 * 1024);
  return hostile;
}

test("while a large hostile folder is verified, live answers and the event loop stays free", () =>
  inServedFolder(async (served) => {
    const machine = { ...testMachine, availableMemory: async () => Number.MAX_SAFE_INTEGER };
    const watch = join(served.folder, "watched");
    mkdirSync(watch);
    renameSync(await served.bundle(1), join(watch, "bundle-1"));
    // Verified in a thread, as in every real server.
    const server = await served.start({ watch }, { machine, loadBundle });
    renameSync(hostileCopy(await served.bundle(2), served.folder), join(watch, "bundle-2"));
    let isVerified = false;
    const verified = server.reload().then(() => {
      isVerified = true;
    });
    const before = performance.eventLoopUtilization();
    let answers = 0;
    for (;;) {
      const live = await send(server.address, { path: "/health/live" });
      assert.is(live.status, 200);
      if (isVerified) break;
      answers += 1;
      // A request in a while: what keeps the event loop busy is then what else it does.
      await Promise.race([verified, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    const { utilization } = performance.eventLoopUtilization(before);
    assert.ok(answers >= 5, `${answers} answers before the verification ended`);
    assert.ok(utilization < 0.5, `the event loop was busy for ${utilization} of the time`);
    const refused = served.lines.find((line) => line.includes('"sluice.replacement"')) ?? "";
    assert.match(refused, /FILE_EXTRA|HASH_MISMATCH/);
  }));
