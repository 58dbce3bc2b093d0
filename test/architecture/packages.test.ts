import { readFileSync } from "node:fs";
import { join } from "node:path";
import { subset } from "semver";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../support/package-root.js";

const test = suite("architecture/packages");

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
  assert.equal(narrow.map(([path, { engines }]) => `${path}: ${engines?.node}`), []);
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
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
  }
});

test.run();
