// `npm run sbom`: writes dist/sbom.cdx.json, the bill of materials (CycloneDX 1.5) of what a consumer installs. It is
// generated from package-lock.json alone, without network access. usage: node scripts/sbom.mjs [FILE]
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.argv[2] ?? join("dist", "sbom.cdx.json");
const file = resolve(root, target);
const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"];
const script = process.env.npm_execpath;
const [program, words] = script?.endsWith("npm-cli.js") ? [process.execPath, [script, ...args]] : ["npm", args];
const { status, stdout, stderr } = spawnSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
if (status !== 0) {
  process.stderr.write(`${stderr}npm ${args.join(" ")} failed; it is part of npm 10 and later\n`);
  process.exit(1);
}
const bill = JSON.parse(stdout);
const read = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));
// `npm sbom --omit=dev` also omits packages that both Sluice and its development tools use; the lock file lists those.
const published = new Set(
  Object.entries(read("package-lock.json").packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { name, version }]) => `${name ?? path.split("node_modules/").at(-1)}@${version}`),
);
bill.components = bill.components.filter(({ name, version }) => published.has(`${name}@${version}`));
const kept = new Set([bill.metadata.component, ...bill.components].map((component) => component["bom-ref"]));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
// npm uses the name of the folder as the package name.
bill.metadata.component.name = read("package.json").name;
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
process.stdout.write(`${target}: ${bill.components.length} packages\n`);
