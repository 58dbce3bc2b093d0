// Adds to package-lock.json the optional packages for platforms that the local registry does not serve; `npm ci`
// refuses a lock file without them. Run it after each `npm install` that changes the lock file.
// docs/adr/0016-a-lock-file-for-npm-ci.md
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const systems = ["aix", "android", "darwin", "freebsd", "linux", "openharmony", "sunos", "win32"];

/** Operating system, processor and C library at the end of a platform package's name. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const at = words.findLastIndex((word) => systems.includes(word));
  if (at === -1) throw new Error(`${name}: the name does not say for which platform the package is`);
  const [os, cpu, abi] = words.slice(at);
  const libc = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" }[abi];
  return { cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }), os: [os] };
}

/** The lock file with an entry added for each optional package that it names but does not contain. */
function completed(lock) {
  const packages = { ...lock.packages };
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (packages[`node_modules/${name}`] !== undefined) continue;
      if (path === "") throw new Error(`${name}: the registry does not carry it`);
      const { cpu, libc, os } = platformOf(name);
      packages[`node_modules/${name}`] = {
        version,
        cpu,
        ...(dev ? { dev } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        os,
      };
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

const lock = JSON.parse(readFileSync(file, "utf8"));
writeFileSync(file, `${JSON.stringify(completed(lock), null, 2)}\n`);
