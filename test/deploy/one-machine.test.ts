import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseServeArguments } from "../../serve/arguments.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { testWithTool } from "../support/external-tool.js";
import { freePort } from "../support/free-port.js";
import { deskAndClerk, inServedFolder, orderRequest } from "../support/served-bundles.js";

/** The unit of systemd and the site of nginx, with the real programs. */

const unit = join(packageRoot, "deploy", "systemd", "sluice-serve.service");
const site = readFileSync(join(packageRoot, "deploy", "nginx", "sluice.conf"), "utf8");

test("the unit starts sluice-serve with options that it accepts, for callers that the site names", () => {
  const start = /^ExecStart=\/usr\/bin\/env sluice-serve (?<words>(?:.*\\\n)*.*)$/mu.exec(readFileSync(unit, "utf8"));
  const words = (start?.groups?.["words"] ?? "").replaceAll("\\\n", " ").trim().split(/\s+/u);
  const command = parseServeArguments(words, {});
  if (command.kind !== "serve" || command.options.authorizer.kind !== "proxy") throw new Error(command.kind);
  const { port, authorizer } = command.options;
  assert.match(site, `proxy_pass http://127.0.0.1:${port};`);
  for (const header of authorizer.headers) assert.match(site, new RegExp(`proxy_set_header ${header} `, "iu"));
});

testWithTool(test, "systemd-analyze", "systemd-analyze accepts the unit", () =>
  inTemporaryFolder(async (folder) => {
    const copy = join(folder, "sluice-serve.service");
    await copyFile(unit, copy);
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", copy], { encoding: "utf8" });
    const ours = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("sluice-serve"));
    assert.equal([status, ours], [0, []]);
  }),
);

const run = promisify(execFile);
const subject = ["-subj", "/CN=router.example.com", "-addext", "subjectAltName=DNS:router.example.com"];

testWithTool(test, "nginx", "nginx ends TLS, checks a password, and replaces a caller's own identity headers", () =>
  inServedFolder(async (served) => {
    const at = (name: string): string => join(served.folder, name);
    const bundle = await served.bundle(1);
    const callers = { ...deskAndClerk(served), headers: ["x-auth-user", "x-auth-groups"] };
    await writeFile(
      at("grants.yaml"),
      JSON.stringify({ schema_version: 1, rules: [{ claim: "x-auth-user", value: "desk", workflow_ids: "all" }] }),
    );
    const hosts = { trustedHosts: ["router.example.com"] };
    const { address } = await served.start({ bundle, authorizer: callers, ...hosts });
    const made = ["-keyout", at("router.key"), "-out", at("router.pem"), "-days", "2"];
    await run("openssl", ["req", "-x509", "-newkey", "ed25519", "-noenc", ...made, ...subject]);
    const users = ["desk", "clerk"].map(async (name) => {
      const { stdout } = await run("openssl", ["passwd", "-apr1", `${name}-password`]);
      return `${name}:${stdout}`;
    });
    await writeFile(at("sluice.htpasswd"), (await Promise.all(users)).join(""));
    const port = await freePort();
    const placed = site
      .replace("listen 8443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("http://127.0.0.1:8080", address)
      .replaceAll("/etc/nginx/tls/", `${served.folder}/`)
      .replace("/etc/nginx/sluice.htpasswd", at("sluice.htpasswd"));
    const user = process.getuid?.() === 0 ? "user root;" : "";
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((n) => `${n}_temp_path ${at(n)};`);
    const http = `http { access_log off; ${temporary.join(" ")} ${placed} }`;
    await writeFile(at("nginx.conf"), `${user} pid ${at("nginx.pid")}; events {} ${http}`);
    const nginx = ["-c", at("nginx.conf"), "-e", at("errors")];
    assert.is(spawnSync("nginx", nginx, { stdio: "ignore" }).status, 0);
    const body = JSON.stringify(orderRequest(1));
    const asked = ["--cacert", at("router.pem"), "--resolve", `router.example.com:${port}:127.0.0.1`, "-s", "-d", body];
    const status = async (...more: readonly string[]): Promise<string> => {
      const shown = ["-o", at("answer"), "-w", "%{http_code}", "-H", "content-type: application/json"];
      const url = `https://router.example.com:${port}/v1/route`;
      return (await run("curl", [...asked, ...shown, ...more, url])).stdout;
    };
    try {
      assert.is(await status(), "401");
      assert.is(await status("-u", "desk:desk-password"), "200");
      assert.match(readFileSync(at("answer"), "utf8"), '"workflow_id":"orders.status"');
      assert.is(await status("-u", "clerk:clerk-password", "-H", "X-Auth-User: desk"), "403");
    } finally {
      spawnSync("nginx", [...nginx, "-s", "stop"], { stdio: "ignore" });
      while (existsSync(at("nginx.pid"))) await new Promise((resolve) => setImmediate(resolve));
    }
  }),
);
