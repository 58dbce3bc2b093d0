import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { parseServeArguments } from "../../serve/arguments.js";
import { assert, packageRoot, test } from "../support/test.js";
import { testWithTool } from "../support/external-tool.js";
import { freePort } from "../support/free-port.js";
import { deskAndClerk, inServedFolder, orderRequest } from "../support/served-bundles.js";
import { send } from "../serve/support/http.js";

/** The compose file against the files that it mounts and the program that it starts; nothing is started. */

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
  readonly deploy?: { readonly replicas: number };
  readonly read_only?: boolean;
}

const folder = join(packageRoot, "deploy", "compose");
const text = (name: string): string => readFileSync(join(folder, name), "utf8");
const compose = parse(text("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);
const service = (name: string): Service => compose.services[name] ?? assert.unreachable(name) ?? (null as never);
const serve = service("sluice-serve");

/** Supplied by the operator. */
const brought = ["./bundles", "./trust", "./revocations", "./inputs", "./queue.key"];

test("every service has networks, volumes, files and services that exist, and runs without rights", () => {
  assert.equal(Object.keys(compose.services).sort(), [
    "eval-worker",
    "grafana",
    "prometheus",
    "proxy",
    "redis",
    "sluice-serve",
  ]);
  for (const [name, one] of services) {
    const needed = one.depends_on ?? [];
    for (const network of one.networks) assert.ok(network in compose.networks, `${name}: ${network}`);
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
      assert.ok(other in compose.services, other);
    for (const volume of one.volumes ?? []) requireSource(name, volume.split(":")[0] ?? "");
    assert.is(one.read_only, true, name);
    for (const port of one.ports ?? [])
      assert.match(port, /^127\.0\.0\.1:/, `${name} is reachable from this machine only`);
  }
});

function requireSource(name: string, source: string): void {
  if (!source.startsWith(".")) assert.ok(source in compose.volumes, `${name}: ${source}`);
  else if (!brought.includes(source)) assert.ok(existsSync(resolve(folder, source)), `${name}: ${source}`);
}

test("three replicas have the settings of the Kubernetes manifest, and paths that are mounted", () => {
  assert.is(serve.deploy?.replicas, 3);
  const manifests = parseAllDocuments(
    readFileSync(join(packageRoot, "deploy/kubernetes/base/sluice-serve.yaml"), "utf8"),
  );
  const [{ data }] = manifests.map(
    (manifest) => manifest.toJS() as { readonly data: Readonly<Record<string, string>> },
  ) as [{ readonly data: Readonly<Record<string, string>> }];
  const { SLUICE_SERVE_CONTROL: _, SLUICE_SERVE_TRUSTED_HOST: __, ...shared } = data;
  const { SLUICE_SERVE_TRUSTED_HOST: hosts, ...own } = serve.environment ?? {};
  assert.equal(own, shared);
  assert.match(hosts ?? "", "sluice-serve");
  const command = parseServeArguments([], serve.environment ?? {});
  if (command.kind !== "serve") throw new Error(command.kind);
  assert.equal(serve.expose, [String(command.options.port), String(command.options.metricsPort)]);
  const mounted = [
    ...(serve.volumes ?? []).map((v) => v.split(":")[1] ?? ""),
    ...(serve.tmpfs ?? []).map((t) => t.split(":")[0] ?? ""),
  ];
  for (const [name, path] of Object.entries(own).filter(([, value]) => value.startsWith("/"))) {
    assert.ok(
      mounted.some((at) => path === at || path.startsWith(`${at}/`)),
      name,
    );
  }
});

test("images have the version of the package, or a digest that has to be given", () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const digests = text("env.example").match(/^[A-Z]+_DIGEST(?==$)/gmu) ?? [];
  const asked = services.flatMap(([name, { image }]) => {
    if (image.startsWith("images.example.com/")) assert.ok(image.endsWith(`:${version}`), name);
    const [, variable] = /@\$\{([A-Z]+_DIGEST):\?see env\.example\}$/.exec(image) ?? [];
    assert.ok(variable !== undefined || image.startsWith("images.example.com/"), `${name}: ${image}`);
    return variable === undefined ? [] : [variable];
  });
  assert.equal(asked.sort(), [...digests].sort());
});

test("proxy and Prometheus name services, ports and files that exist", () => {
  const proxy = text("nginx.conf");
  assert.match(proxy, `server sluice-serve:${serve.expose?.[0]} resolve`);
  assert.is((proxy.match(/\{/g) ?? []).length, (proxy.match(/\}/g) ?? []).length);
  const prometheus = parse(text("prometheus.yaml")) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly {
      readonly dns_sd_configs: readonly { readonly names: readonly string[]; readonly port: number }[];
    }[];
  };
  const [target] = prometheus.scrape_configs.flatMap(({ dns_sd_configs: found }) => found);
  assert.equal([target?.names, target?.port], [["sluice-serve"], Number(serve.expose?.[1])]);
  const files = service("prometheus").volumes?.map((volume) => volume.split(":")[1]);
  for (const file of prometheus.rule_files) assert.ok(files?.includes(file), file);
});

test("Grafana reads that Prometheus and finds the dashboard; services that talk share a network", () => {
  const source = parse(text("grafana-datasource.yaml")) as {
    readonly datasources: readonly { readonly url: string; readonly type: string }[];
  };
  assert.equal(
    source.datasources.map(({ url, type }) => [url, type]),
    [["http://prometheus:9090", "prometheus"]],
  );
  const dashboards = parse(text("grafana-dashboards.yaml")) as {
    readonly providers: readonly { readonly options: { readonly path: string } }[];
  };
  const mounted = service("grafana").volumes?.map((volume) => volume.split(":")[1] ?? "") ?? [];
  for (const { options } of dashboards.providers) assert.ok(mounted.some((at) => at.startsWith(`${options.path}/`)));
  for (const [a, b] of [
    ["proxy", "sluice-serve"],
    ["prometheus", "sluice-serve"],
    ["grafana", "prometheus"],
    ["eval-worker", "redis"],
  ] as const) {
    assert.ok(
      service(a).networks.some((network) => service(b).networks.includes(network)),
      `${a} reaches ${b}`,
    );
  }
  assert.equal(service("eval-worker").command?.slice(0, 4), ["eval", "worker", "--queue", "redis://redis:6379"]);
});

test("the process of Redis needs no right to change users, and the worker gets the key of the shards", () => {
  assert.is(service("redis").user, "redis");
  const { environment = {}, volumes = [] } = service("eval-worker");
  assert.ok(volumes.includes(`./queue.key:${environment["SLUICE_QUEUE_KEY"] ?? ""}:ro`));
});

/** The proxy of the compose file in front of two ports of this machine. */
function proxyConfig(own: number, ports: readonly number[], scratch: string): string {
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=2 fail_timeout=5s;`).join(" ");
  return text("nginx.conf")
    .replace("server sluice-serve:8080 resolve max_fails=2 fail_timeout=5s;", servers)
    .replace(/^ *resolver .*$/mu, "")
    .replace("listen 8080;", `listen 127.0.0.1:${own};`)
    .replaceAll("/tmp/", `${scratch}/`);
}

testWithTool(test, "nginx", "the proxy gives a request that a replica cannot answer to the next one, a POST too", () =>
  inServedFolder(async (served) => {
    const { folder: scratch } = served;
    const [bundle, authorizer] = [await served.bundle(1), deskAndClerk(served)];
    const ready = await served.start({ bundle, authorizer });
    // A module that fails, as one whose directory cannot be reached, is answered by 503.
    await writeFile(join(scratch, "failing.mjs"), "export default async () => { throw new Error('unreachable'); };");
    const failing = await served.start({ bundle, authorizer: { kind: "module", file: join(scratch, "failing.mjs") } });
    const route = (address: string) =>
      send(address, { path: "/v1/route", body: orderRequest(1), headers: { "x-user": "desk" } });
    assert.is((await route(failing.address)).status, 503);
    const [port, ports] = [await freePort(), [failing, ready].map(({ address }) => Number(new URL(address).port))];
    const file = join(scratch, "nginx.conf");
    await writeFile(file, proxyConfig(port, ports, scratch));
    const nginx = ["-c", file, "-e", join(scratch, "errors")];
    // Returns once the port is open.
    assert.is(spawnSync("nginx", nginx, { stdio: "ignore" }).status, 0);
    try {
      const proxy = `http://127.0.0.1:${port}`;
      for (let i = 0; i < 12; i += 1) assert.is((await route(proxy)).status, 200, `request ${i}`);
    } finally {
      spawnSync("nginx", [...nginx, "-s", "stop"], { stdio: "ignore" });
      while (existsSync(join(scratch, "nginx.pid"))) await new Promise((resolve) => setImmediate(resolve));
    }
  }),
);

testWithTool(test, "promtool", "promtool accepts the configuration of Prometheus", () => {
  const { status, stdout, stderr } = spawnSync(
    "promtool",
    ["check", "config", "--syntax-only", join(folder, "prometheus.yaml")],
    {
      encoding: "utf8",
    },
  );
  assert.is(status, 0, `${stdout}${stderr}`);
});
