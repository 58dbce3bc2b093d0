import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { helpText, parseServeArguments, type ServeOptions } from "../../serve/arguments.js";
import { assert, packageRoot, pluck, test } from "../support/test.js";
import { post, send } from "../serve/support/http.js";
import { testRevocations, testTrustBytes } from "../support/builders-artifacts.js";
import { testWithTool } from "../support/external-tool.js";
import { inServedFolder, orderRequest } from "../support/served-bundles.js";
import { sha256Hex } from "../../src/base/sha256.js";

/** The container file and the manifests against the program that they start; nothing needs a cluster. */

type Labels = Readonly<Record<string, string>>;
interface Selector {
  readonly matchLabels: Labels;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface PortRule {
  readonly ports: readonly { readonly port: number }[];
}
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<Record<"requests" | "limits", Readonly<Record<string, string>>>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly topologySpreadConstraints: readonly { readonly labelSelector: Selector }[];
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[];
  readonly containers: readonly [Container];
}
interface Resources {
  readonly ConfigMap: { readonly metadata: { readonly name: string }; readonly data: Labels };
  readonly Deployment: {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly replicas: number;
      readonly strategy: object;
      readonly selector: Selector;
      readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    };
  };
  readonly Service: { readonly spec: { readonly selector: Labels; readonly ports: readonly { targetPort: string }[] } };
  readonly HorizontalPodAutoscaler: {
    readonly spec: {
      readonly scaleTargetRef: Readonly<Record<"apiVersion" | "kind" | "name", string>>;
      readonly minReplicas: number;
      readonly maxReplicas: number;
    };
  };
  readonly PodDisruptionBudget: { readonly spec: { readonly selector: Selector; readonly maxUnavailable: number } };
  readonly NetworkPolicy: { readonly spec: { readonly podSelector: Selector; readonly ingress: readonly PortRule[] } };
}

const folder = join(packageRoot, "deploy");
const text = (path: string): string => readFileSync(join(folder, path), "utf8");
const documents = parseAllDocuments(text("kubernetes/base/sluice-serve.yaml"));
const resources = documents.map((document) => document.toJS() as { readonly kind: keyof Resources });
const resource = <K extends keyof Resources>(kind: K): Resources[K] =>
  (resources.find((found) => found.kind === kind) ?? assert.unreachable(kind)) as unknown as Resources[K];

const environment = resource("ConfigMap").data;
const { spec } = resource("Deployment");
const pod = spec.template.spec;
const [container] = pod.containers;

/** What the environment of the manifests makes of the server. */
function options(): ServeOptions {
  const command = parseServeArguments(container.args ?? [], environment);
  if (command.kind !== "serve") throw new Error(`the environment asks for ${command.kind}`);
  return command.options;
}

test("every YAML file of the folder is well-formed", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  assert.equal(files.sort(), [
    "compose/compose.yaml",
    "compose/grafana-dashboards.yaml",
    "compose/grafana-datasource.yaml",
    "compose/prometheus.yaml",
    "evaluation/kubernetes-job.yaml",
    "kubernetes/base/kustomization.yaml",
    "kubernetes/base/sluice-serve.yaml",
    "kubernetes/by-digest/bundle.yaml",
    "kubernetes/by-digest/kustomization.yaml",
    "kubernetes/queue-depth/adapter-values.yaml",
    "kubernetes/queue-depth/autoscaler.yaml",
    "kubernetes/queue-depth/kustomization.yaml",
    "prometheus/alerts.yaml",
  ]);
  for (const file of files) {
    const faults = parseAllDocuments(text(file), { merge: true }).flatMap(({ errors, warnings }) => [
      ...errors,
      ...warnings,
    ]);
    assert.equal(faults, [], file);
  }
});

test("the manifests have what a deployment needs, once each, and the kustomization names them", () => {
  assert.equal(
    resources.map(({ kind }) => kind),
    ["ConfigMap", "Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"],
  );
  const kustomization = parse(text("kubernetes/base/kustomization.yaml")) as {
    readonly resources: readonly string[];
    readonly images: readonly { readonly name: string; readonly newTag: string }[];
  };
  assert.equal(kustomization.resources, ["sluice-serve.yaml"]);
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  assert.is(container.image, `${kustomization.images[0]?.name ?? ""}:${kustomization.images[0]?.newTag ?? ""}`);
  assert.ok(container.image.endsWith(`:${version}`), "the image has the version of the package");
});

test("the environment is one that sluice-serve accepts, and holds no name that it would ignore", () => {
  const { bundle, watch, metricsPort, trustedHosts } = options();
  assert.equal([bundle, watch, metricsPort], [undefined, "/bundles", 9464]);
  assert.ok(trustedHosts.includes("sluice-serve"), "the name of the service is a trusted host");
  const flags = new Set([...helpText.matchAll(/^ {2}--([a-z-]+)/gmu)].map(([, flag = ""]) => flag));
  for (const name of Object.keys(environment)) {
    const flag = name.replace("SLUICE_SERVE_", "").toLowerCase().replaceAll("_", "-");
    assert.ok(flags.has(flag), name);
  }
  assert.equal(
    container.envFrom.map(({ configMapRef }) => configMapRef.name),
    [resource("ConfigMap").metadata.name],
  );
});

interface Patch {
  readonly kind: keyof Resources;
  readonly metadata: { readonly name: string };
}

const overlay = (path: string): Patch => parse(text(`kubernetes/${path}`)) as Patch;

test("the overlays change resources that the base has, and name their files", () => {
  for (const [name, file] of [
    ["by-digest", "bundle.yaml"],
    ["queue-depth", "autoscaler.yaml"],
  ]) {
    const { resources: base, patches } = parse(text(`kubernetes/${name}/kustomization.yaml`)) as {
      readonly resources: readonly string[];
      readonly patches: readonly { readonly path: string }[];
    };
    assert.equal([base, patches], [["../base"], [{ path: file }]]);
    const { kind, metadata } = overlay(`${name}/${file}`);
    assert.is((resource(kind) as unknown as Patch).metadata.name, metadata.name);
  }
});

testWithTool(test, "kubectl", "kubectl renders the base and both overlays, each with its change", () => {
  const rendered = (name: string): string => {
    const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", join(folder, "kubernetes", name)], {
      encoding: "utf8",
    });
    assert.is(status, 0, stderr);
    assert.is(stdout.match(/^kind: /gmu)?.length, resources.length, name);
    return stdout;
  };
  const base = rendered("base");
  for (const [name, change] of [
    ["by-digest", /value: \/bundles\/sha256-0{64}$/mu],
    ["queue-depth", /name: sluice_inference_jobs_waiting$/mu],
  ] as const) {
    assert.match(rendered(name), change);
    assert.not.match(base, change);
  }
});

test("a rolling update by digest serves one bundle and watches none, and changes the pods with the digest", () => {
  const { spec: changed } = overlay("by-digest/bundle.yaml") as unknown as {
    readonly spec: {
      readonly template: {
        readonly metadata: { readonly annotations: Labels };
        readonly spec: { readonly containers: readonly { readonly env: readonly { name: string; value: string }[] }[] };
      };
    };
  };
  const own = Object.fromEntries(
    changed.template.spec.containers[0]?.env.map(({ name, value }) => [name, value]) ?? [],
  );
  const command = parseServeArguments([], { ...environment, ...own });
  if (command.kind !== "serve") throw new Error(`the environment asks for ${command.kind}`);
  const { bundle, watch } = command.options;
  assert.equal(
    [watch, bundle],
    [undefined, `/bundles/${changed.template.metadata.annotations["sluice.dev/bundle"] ?? ""}`],
  );
  const { strategy } = resource("Deployment").spec;
  assert.equal(strategy, { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
});

test("replicas are added by the processor, and by the depth of a queue that a server shows", () => {
  const { spec: scaled } = overlay("queue-depth/autoscaler.yaml") as unknown as {
    readonly spec: { readonly metrics: readonly { readonly pods?: { readonly metric: { readonly name: string } } }[] };
  };
  const names = scaled.metrics.flatMap(({ pods }) => pods?.metric.name ?? []);
  assert.equal([names, scaled.metrics.length], [["sluice_inference_jobs_waiting"], 2]);
  const { rules } = parse(text("kubernetes/queue-depth/adapter-values.yaml")) as {
    readonly rules: { readonly custom: readonly { readonly name: { readonly as: string } }[] };
  };
  assert.equal(
    rules.custom.map(({ name }) => name.as),
    names,
  );
  const dashboard = text("grafana/sluice-serve.json");
  for (const name of names)
    assert.ok(dashboard.includes(name), `${name} is among the metrics that deploy.test.ts looks for`);
});

test("every path of the environment is mounted: inputs to read, state and socket to write", () => {
  const mounts = container.volumeMounts;
  assert.equal(pluck(mounts, "name"), pluck(pod.volumes, "name"));
  const mountOf = (path: string) =>
    mounts.find(({ mountPath }) => path === mountPath || path.startsWith(`${mountPath}/`)) ?? assert.unreachable(path);
  for (const [name, path] of Object.entries(environment).filter(([, value]) => value.startsWith("/"))) {
    const written = ["SLUICE_SERVE_STATE", "SLUICE_SERVE_CONTROL"].includes(name);
    assert.is(mountOf(path)?.readOnly ?? false, !written, name);
  }
});

test("everything that selects the pods selects their labels", () => {
  const { labels } = spec.template.metadata;
  assert.equal(
    [
      spec.selector.matchLabels,
      ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
      resource("Service").spec.selector,
      resource("PodDisruptionBudget").spec.selector.matchLabels,
      resource("NetworkPolicy").spec.podSelector.matchLabels,
    ],
    Array.from({ length: 5 }, () => labels),
  );
  const { scaleTargetRef, minReplicas, maxReplicas } = resource("HorizontalPodAutoscaler").spec;
  const { name } = resource("Deployment").metadata;
  assert.equal(scaleTargetRef, { apiVersion: "apps/v1", kind: "Deployment", name });
  assert.equal([spec.replicas, minReplicas < maxReplicas], [minReplicas, true]);
  const { maxUnavailable } = resource("PodDisruptionBudget").spec;
  assert.ok(maxUnavailable >= 1 && maxUnavailable < minReplicas, "one may go, one stays");
});

test("ports are those that the server listens on, in the manifests and in the container file", () => {
  const { port, metricsPort } = options();
  const listening = [port, metricsPort];
  assert.equal(
    container.ports.map(({ name, containerPort }) => [name, containerPort]),
    [
      ["http", port],
      ["metrics", metricsPort],
    ],
  );
  assert.equal(pluck(resource("Service").spec.ports, "targetPort"), ["http"]);
  assert.equal(
    resource("NetworkPolicy").spec.ingress.flatMap(({ ports }) => ports.map((rule) => rule.port)),
    listening,
  );
  assert.match(text("Containerfile"), `EXPOSE ${listening.join(" ")}\n`);
});

test("the probes of an orchestrator, which names the address of the pod, are answered by a server that trusts other hosts", () =>
  inServedFolder(async (served) => {
    const { trustedHosts, host } = options();
    const configureAuthorizer = async () => () => async () => [];
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle, host, trustedHosts }, { configureAuthorizer });
    const { port, hostname } = new URL(server.address);
    assert.is(hostname, host, "the start line hides nobody who can reach the server");
    const { startupProbe, livenessProbe, readinessProbe } = container;
    assert.equal([startupProbe.httpGet.path, readinessProbe.httpGet.path], ["/health/ready", "/health/ready"]);
    assert.is(livenessProbe.httpGet.path, "/health/live", "a restart repairs no bundle");
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      assert.is(httpGet.port, "http");
      assert.is((await send(`http://127.0.0.1:${port}`, { path: httpGet.path })).status, 200, httpGet.path);
    }
  }));

/** Puts files where an orchestrator mounts a ConfigMap: links into a folder that is exchanged as a whole. */
function mount(at: string, version: string, files: Readonly<Record<string, Uint8Array>>): void {
  mkdirSync(join(at, version), { recursive: true });
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(at, version, name), bytes);
    if (!existsSync(join(at, name))) symlinkSync(`..data/${name}`, join(at, name));
  }
  symlinkSync(version, join(at, "..data_tmp"));
  renameSync(join(at, "..data_tmp"), join(at, "..data"));
}

test("policy, authorizer and revocations of mounted ConfigMaps are read, and a new list is seen at once", () =>
  inServedFolder(async (served) => {
    const [trust, lists] = [join(served.folder, "trust"), join(served.folder, "lists")];
    const authorizer = readFileSync(join(packageRoot, "docs/examples/authorizer.mjs"));
    mount(trust, "..2026_1", { "trust.json": testTrustBytes(), "authorizer.mjs": authorizer });
    mount(lists, "..2026_1", { "revocations.json": await testRevocations([]) });
    const server = await served.start({
      bundle: await served.bundle(1),
      trust: join(trust, "trust.json"),
      revocations: join(lists, "revocations.json"),
      authorizer: { kind: "module", file: join(trust, "authorizer.mjs") },
    });
    const caller = { "x-authenticated-principal": "portal" };
    const { body } = await post(server.address, orderRequest(1), caller);
    assert.equal([body["decision"], body["workflow_id"]], ["ROUTE", "orders.status"]);
    const revoked = { kind: "bundle", sha256: server.runtime.snapshot().bundleId ?? sha256Hex("") } as const;
    mount(lists, "..2026_2", { "revocations.json": await testRevocations([revoked], { sequence: 2 }) });
    const stopped = await post(server.address, orderRequest(1), caller);
    assert.is(stopped.body["reason_code"], "RUNTIME_INTEGRITY_FAILURE");
  }));

test("the pod runs unprivileged on a read-only file system, with the user of the container file, and has its sizes", () => {
  const { securityContext } = container;
  assert.equal([pod.securityContext["runAsNonRoot"], pod.securityContext["runAsUser"]], [true, 10001]);
  assert.equal(pod.securityContext["seccompProfile"], { type: "RuntimeDefault" });
  assert.is(pod.automountServiceAccountToken, false);
  assert.equal(
    [
      securityContext["readOnlyRootFilesystem"],
      securityContext["allowPrivilegeEscalation"],
      securityContext["capabilities"],
    ],
    [true, false, { drop: ["ALL"] }],
  );
  assert.match(text("Containerfile"), /^USER 10001:10001$/mu);
  const { requests, limits } = container.resources;
  assert.equal([Object.keys(requests), Object.keys(limits)], [["cpu", "memory"], ["memory"]]);
});

test("the time to end covers the pause, the answers under way and the models", () => {
  const seconds = options().drainPauseMs / 1000 + 20;
  assert.ok(pod.terminationGracePeriodSeconds >= seconds, `at least ${seconds} s`);
});

test("every base image is pinned by a digest that has to be given", () => {
  const lines = text("Containerfile").split("\n");
  const bases = lines.filter((line) => line.startsWith("FROM "));
  assert.is(bases.length, 2);
  for (const base of bases) assert.match(base, /^FROM \S+@\$\{NODE_DIGEST\}( AS \w+)?$/u);
  assert.ok(lines.includes("ARG NODE_DIGEST"), "no default");
});

test("what the container file copies exists, and its entry point is the bin of the package", () => {
  const lines = text("Containerfile").split("\n");
  const copied = lines.filter((line) => /^COPY (?!--from)/u.test(line)).flatMap((line) => line.split(" ").slice(1, -1));
  assert.ok(copied.length >= 4);
  for (const path of copied) assert.ok(existsSync(join(packageRoot, path)), path);
  const sent = readFileSync(join(packageRoot, ".dockerignore"), "utf8").split("\n");
  assert.equal(
    sent.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : [])).sort(),
    [...new Set(copied)].sort(),
    "the build gets what it copies, and nothing else",
  );
  const { bin } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  assert.ok(text("Containerfile").includes(`ENTRYPOINT ["node", "${bin["sluice-serve"] ?? ""}"]`));
});
