import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { writeTar } from "../../release/bundle-files/tar.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { testTrustBytes, writeTestBundle } from "../support/builders-artifacts.js";
import { testWithTool } from "../support/external-tool.js";
import { programs } from "../support/run-program.js";
import { approveTwice, inRelease } from "./support/release-workspace.js";
import { succeed } from "./support/small-workspace.js";

/** A real file system without room, and one that cannot be written: nothing is lost and nothing half is left. */

const tool = "unshare -m with tmpfs";
const writer = fileURLToPath(new URL("../support/history-writer-program.js", import.meta.url));

/**
 * Runs a script in a separate mount namespace; `$disk` is an empty file system of that size in KiB, `sluice` the
 * program, `fails CODE ...` asserts that a command ends with that code.
 */
function onDisk(cwd: string, sizeKib: number, script: string): string {
  const disk = join(cwd, "disk");
  mkdirSync(disk, { recursive: true });
  const prelude = `set -eu; disk=$1; node=$2; main=$3; writer=$4
    mount -t tmpfs -o size=${sizeKib}k none "$disk"
    sluice() { "$node" "$main" "$@"; }
    fails() { code=$1; shift; if sluice "$@" > said 2>&1; then echo "ended with 0: $*"; exit 9; fi
      grep -Eq "$code" said || { cat said; exit 8; }; }
    fill() { dd if=/dev/zero of="$disk/ballast" bs=1k 2>/dev/null || true; }`;
  const args = ["-rm", "sh", "-c", `${prelude}\n${script}`, "sh", disk, process.execPath, programs.sluice, writer];
  return execFileSync("unshare", args, { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], USER: "tester" } });
}

testWithTool(
  test,
  tool,
  "a history on a full disk says so, keeps every acknowledged entry, and goes on when there is room",
  () =>
    inTemporaryFolder((cwd) => {
      const said = onDisk(
        cwd,
        1024,
        `"$node" "$writer" "$disk/history.db" a 100000 1500 > acks
      test "$(tail -n 1 acks)" = "error WRITE_FAILED"
      kept=$(grep -vc error acks)
      mount -o remount,size=4m "$disk"
      sluice history verify -w "$disk" --json | grep -q "\\"entries\\": $kept,"
      "$node" "$writer" "$disk/history.db" b 5 > more
      test "$(grep -c error more)" = 0
      sluice history verify -w "$disk" --json | grep -q "\\"entries\\": $((kept + 5)),"
      echo "$kept"`,
      );
      assert.ok(Number(said) > 20, said);
    }),
);

testWithTool(
  test,
  tool,
  "on a disk without a free page a history can neither be read nor written, and both say that it is full",
  () =>
    inTemporaryFolder((cwd) => {
      onDisk(
        cwd,
        1024,
        `"$node" "$writer" "$disk/history.db" a 20 1500 > acks
      fill
      fails WRITE_FAILED history log -w "$disk"
      fails WRITE_FAILED history gc --delete -w "$disk"
      "$node" "$writer" "$disk/history.db" b 1 > refused || true
      grep -q "error WRITE_FAILED" refused
      rm "$disk/ballast"
      sluice history verify -w "$disk" --json | grep -q '"entries": 20,'`,
      );
    }),
);

testWithTool(test, tool, "a live history on a read-only disk says so, and that a backup opens there", () =>
  inTemporaryFolder((cwd) => {
    onDisk(
      cwd,
      4096,
      `"$node" "$writer" "$disk/history.db" a 3 > acks
      mount -o remount,ro "$disk"
      fails "READ_FAILED.*a live history cannot be opened on a read-only disk" history log -w "$disk"
      grep -q "sluice history backup FILE --workspace [^ ]*" said
      mount -o remount,rw "$disk"
      sluice history backup copy.db -w "$disk" > /dev/null 2>&1
      rm "$disk"/history.db*
      cp copy.db "$disk/history.db"
      mount -o remount,ro "$disk"
      sluice history verify -w "$disk" > /dev/null
      fails "WRITE_FAILED.*is on a read-only disk" history gc --delete -w "$disk"`,
    );
  }),
);

testWithTool(test, tool, "keys, archives and imports on a full disk are whole or absent", () =>
  inTemporaryFolder(async (cwd) => {
    const { directory } = await writeTestBundle(join(cwd, "bundle"));
    writeFileSync(join(cwd, "bundle.tar"), writeTar((await readDirectory(directory)).files));
    writeFileSync(join(cwd, "trust.json"), testTrustBytes());
    writeFileSync(join(cwd, "pass"), "a secret of enough characters");
    const left = onDisk(
      cwd,
      64,
      `fill
      fails WRITE_FAILED key create "$disk/bo.pem" --passphrase-file pass
      rm "$disk/ballast"; dd if=/dev/zero of="$disk/ballast" bs=1k count=60 2>/dev/null
      fails WRITE_FAILED key create "$disk/bo.pem" --passphrase-file pass; fill
      fails WRITE_FAILED bundle import bundle.tar --out "$disk/imported" --trust trust.json
      ls -A "$disk"`,
    );
    assert.is(left, "ballast\n");
  }),
);

testWithTool(test, tool, "a revocation on a full disk is an error, and neither in the list nor in the history", () =>
  inRelease(async (cwd) => {
    const revoke = "revoke --revoker bo --key bo --passphrase-file bo.pass -w $disk/w";
    onDisk(
      cwd,
      16_384,
      `cp -r sluice-workspace "$disk/w"
      sluice ${revoke} --bundle ${"a".repeat(64)} > /dev/null 2>&1
      before=$(cksum < "$disk/w/revocations.json")
      fill
      fails "_FULL|WRITE_FAILED" ${revoke} --bundle ${"b".repeat(64)}
      test "$before" = "$(cksum < "$disk/w/revocations.json")"
      rm "$disk/ballast"
      sluice history log --kind revocation -w "$disk/w" --json > log; test "$(grep -o '"seq"' log | wc -l)" = 1
      sluice ${revoke} --json 2> /dev/null | grep -q '"total": 1'
      test "$(ls "$disk/w" | grep -c 'revocations.json')" = 1`,
    );
  }),
);

testWithTool(test, tool, "an export to a full disk leaves nothing, or the bundle that was there", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--out", "good");
    const left = onDisk(
      cwd,
      16_384,
      `cp -r good "$disk/bundle"; fill
      fails WRITE_FAILED bundle export --out "$disk/other"
      fails WRITE_FAILED bundle export --out "$disk/bundle" --replace
      fails WRITE_FAILED bundle export --out again --tar "$disk/bundle.tar"
      sluice bundle verify "$disk/bundle" > /dev/null
      sluice bundle verify again > /dev/null
      sluice history verify > /dev/null
      ls -A "$disk"`,
    );
    assert.is(left, "ballast\nbundle\n");
  }),
);

testWithTool(test, tool, "on a read-only disk bundles and backups verify, and every write is a clean error", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--out", "good", "--tar", "good.tar");
    await succeed(cwd, "history", "backup", "history.db");
    writeFileSync(join(cwd, "pass"), "a secret of enough characters");
    onDisk(
      cwd,
      65_536,
      `cp -r good good.tar history.db sluice-workspace/trust.json "$disk"
      mount -o remount,ro "$disk"
      sluice bundle verify "$disk/good" --trust "$disk/trust.json" > /dev/null
      sluice bundle verify "$disk/good.tar" --trust "$disk/trust.json" > /dev/null
      sluice history verify -w "$disk" > /dev/null
      fails WRITE_FAILED key create "$disk/bo.pem" --passphrase-file pass
      fails WRITE_FAILED bundle import good.tar --out "$disk/imported"
      fails WRITE_FAILED bundle export --out "$disk/other"
      fails WRITE_FAILED history checkpoint --key sluice-workspace/keys/bo.pem --passphrase-file bo.pass -w "$disk"`,
    );
  }),
);
