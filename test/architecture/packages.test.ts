import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { subset } from "semver";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(packageRoot, file), "utf8"));
const lock = read("package-lock.json") as { readonly packages: Readonly<Record<string, Entry>> };
const ours = read("package.json") as {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const entries = Object.entries(lock.packages);

test("every package that is always installed runs on each Node that we run on", () => {
  const narrow = entries.filter(([, { dev, optional, engines }]) => {
    if (dev === true || optional === true || engines?.node === undefined) return false;
    return !subset(ours.engines.node, engines.node);
  });
  assert.equal(
    narrow.map(([path, { engines }]) => `${path}: ${engines?.node}`),
    [],
  );
});

test("the lock file has the optional packages of every platform, so that npm ci accepts it", () => {
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        lock.packages[`${path}/node_modules/${name}`] === undefined &&
        lock.packages[`node_modules/${name}`] === undefined,
    ),
  );
  assert.equal(missing, [], "node scripts/complete-lock.mjs");
});

test("the lock file names no address of a registry", () => {
  assert.equal(
    entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
    [],
  );
});

test("all versions are exact", () => {
  const { dependencies, devDependencies, optionalDependencies } = ours;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    assert.match(version, /^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+$/, name);
  }
});

test("npm has nothing to say about the settings of this package", () => {
  // Run by npm, a test inherits the settings of this machine; only those of the package are asked about.
  const ofTheMachine = ([name]: readonly [string, unknown]): boolean => name.toLowerCase().startsWith("npm_config_");
  const inherited = Object.entries(process.env).filter((entry) => !ofTheMachine(entry));
  const env = {
    ...Object.fromEntries(inherited),
    npm_config_userconfig: "/nowhere/user",
    npm_config_globalconfig: "/nowhere/all",
  };
  const { stderr, status } = spawnSync("npm", ["pkg", "get", "name"], { cwd: packageRoot, env, encoding: "utf8" });
  assert.equal([status, stderr], [0, ""]);
});

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
}

test("the bill of materials lists every package that a consumer installs, each with its digest", () =>
  inTemporaryFolder((folder) => {
    const file = join(folder, "sbom.cdx.json");
    const { status, stderr } = spawnSync(process.execPath, [join(packageRoot, "scripts/sbom.mjs"), file], {
      env: { ...process.env, npm_config_offline: "true" },
      encoding: "utf8",
    });
    assert.is(status, 0, stderr);
    const bill = JSON.parse(readFileSync(file, "utf8")) as Bill;
    assert.equal([bill.bomFormat, bill.specVersion, bill.metadata.component.name], ["CycloneDX", "1.5", "sluice"]);
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const wanted = entries.filter(([path, { dev }]) => path !== "" && dev !== true);
    for (const [path, { version }] of wanted) {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      assert.ok(listed.has(`${name}@${version}`), path);
    }
    for (const { name, purl, hashes } of bill.components) {
      assert.match(purl, /^pkg:npm\//, name);
      assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/, name);
    }
  }));
