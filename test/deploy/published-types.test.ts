import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parseAllDocuments } from "yaml";
import { assert, packageRoot, test } from "../support/test.js";

/**
 * The manifests against the types that are made from the published OpenAPI description of Kubernetes: unknown fields and
 * wrong types are refused by the compiler.
 */

/** Where kubernetes-types declares a kind. */
const modules: Readonly<Record<string, string>> = {
  "v1 ConfigMap": "core/v1",
  "v1 Service": "core/v1",
  "apps/v1 Deployment": "apps/v1",
  "autoscaling/v2 HorizontalPodAutoscaler": "autoscaling/v2",
  "policy/v1 PodDisruptionBudget": "policy/v1",
  "networking.k8s.io/v1 NetworkPolicy": "networking/v1",
  "batch/v1 Job": "batch/v1",
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const deploy = join(packageRoot, "deploy");

/** Files with whole manifests; the overlays change parts of them. */
const files = ["kubernetes/base/sluice-serve.yaml", "evaluation/kubernetes-job.yaml"];
const patches = ["kubernetes/by-digest/bundle.yaml", "kubernetes/queue-depth/autoscaler.yaml"];

const manifestsOf = (file: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(join(deploy, file), "utf8")).map((document) => document.toJS() as Manifest);

/** What the compiler says about manifests; empty when it accepts all. */
function problemsOf(manifests: readonly Manifest[], partial = false): readonly string[] {
  const folder = mkdtempSync(join(packageRoot, "dist", "manifests-"));
  try {
    const lines = manifests.map((manifest, i) => {
      const name = `${manifest.apiVersion} ${manifest.kind}`;
      const module = modules[name] ?? assert.unreachable(name);
      const type = `import("kubernetes-types/${module ?? ""}").${manifest.kind}`;
      return `export const manifest${i}: ${partial ? `Part<${type}>` : type} = ${JSON.stringify(manifest)};`;
    });
    const part = "type Part<T> = T extends object ? { [K in keyof T]?: Part<T[K]> } : T;";
    const file = join(folder, "manifests.ts");
    writeFileSync(file, `${part}\n${lines.join("\n")}\n`);
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ["lib.es2022.d.ts"],
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every manifest has the fields and types that Kubernetes publishes", () => {
  const manifests = files.flatMap(manifestsOf);
  assert.is(manifests.length, 7);
  assert.equal(problemsOf(manifests), []);
  assert.equal(problemsOf(patches.flatMap(manifestsOf), true), []);
});

test("a misspelled field and a wrong type are found", () => {
  const [job] = manifestsOf("evaluation/kubernetes-job.yaml");
  const change = (from: string, to: string): Manifest => JSON.parse(JSON.stringify(job).replace(from, to)) as Manifest;
  const found = problemsOf([change('"parallelism"', '"paralelism"'), change('"completions":16', '"completions":"16"')]);
  assert.is(found.length, 2, found.join("\n"));
  assert.match(found[0] ?? "", "paralelism");
});

test("no YAML file of the folder is left unchecked", () => {
  const found = readdirSync(deploy, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  const elsewhere = found.filter((name) =>
    /^(?:compose|prometheus)\/|kustomization\.yaml$|adapter-values\.yaml$/.test(name),
  );
  assert.equal([...files, ...patches, ...elsewhere].sort(), found.sort());
});
