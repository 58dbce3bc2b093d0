import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function sluiceServe(...argv: readonly string[]): Promise<Result> {
  const file = join(packageRoot, "dist/serve/main.js");
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...argv], { env: {} }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

test("--help goes to standard output", async () => {
  const { code, stdout, stderr } = await sluiceServe("--help");
  assert.equal([code, stderr], [0, ""]);
  assert.match(stdout, /usage: sluice-serve --bundle DIR --trust FILE --port N/);
});

test("a mistyped control command names the three and suggests none of them, and --help shows them", async () => {
  const { code, stderr } = await sluiceServe("control", "statsu", "--control", "s");
  assert.is(code, 2);
  assert.match(stderr, /found statsu, expected status, replace or rollback\nhint     Run sluice-serve control --help/);
  const help = await sluiceServe("control", "--help");
  assert.is(help.code, 0);
  assert.match(help.stdout, "sluice-serve control status --control SOCKET");
});

test("--version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  assert.equal(await sluiceServe("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
});

test("a usage error has its code, a hint and exit code 2", async () => {
  const { code, stdout, stderr } = await sluiceServe("--bundle", "x");
  assert.equal([code, stdout], [2, ""]);
  assert.match(stderr, /^error    USAGE: --trust is missing\nhint     Run sluice-serve --help/);
});

test("a missing trust policy ends the start with exit code 2", async () => {
  const files = ["--bundle", "/nowhere", "--trust", "/nowhere/trust.json"];
  const { code, stderr } = await sluiceServe(...files, "--authorizer", "local", "--port", "0");
  assert.is(code, 2);
  assert.match(stderr, /^error    FILE_NOT_FOUND: \/nowhere\/trust\.json: the trust policy/);
});
