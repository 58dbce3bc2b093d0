import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandLine } from "../../cli/command.js";
import { commands } from "../../cli/commands.js";
import { packageRoot } from "../support/package-root.js";
import { projectFiles } from "./files.js";
import { productFolders } from "./layers.js";

const test = suite("architecture/pages");

const product = new RegExp(`^(${productFolders.join("|")})/.*\\.ts$`);
const pages = projectFiles().filter((file) => file.endsWith(".md"));
const read = (file: string): string => readFileSync(join(packageRoot, file), "utf8");

/** Targets of relative links, without their anchors. */
function linkTargets(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(({ groups }) => groups?.["target"] ?? "");
  return targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*$/, ""));
}

/** Verbs that a text names behind a noun of the command line, as `noun verb`. */
function namedCommands(text: string): readonly string[] {
  const nouns = new Set(commands.filter(({ name }) => name.length === 2).map(({ name }) => name[0]));
  const found = [...text.matchAll(/sluice (?<noun>[a-z]+) (?<verb>[a-z][a-z-]+)/g)];
  return found.flatMap(({ groups }) => {
    const { noun = "", verb = "" } = groups ?? {};
    return nouns.has(noun) ? [`${noun} ${verb}`] : [];
  });
}

test("every relative link of a page resolves to a file", () => {
  assert.equal(linkTargets("[a](docs/b.md#c) [d](https://example.org) [e](#f)"), ["docs/b.md"]);
  assert.ok(pages.length > 8, `only ${pages.length} pages were seen`);
  const broken = pages.flatMap((page) =>
    linkTargets(read(page))
      .filter((target) => !existsSync(join(packageRoot, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.equal(broken, []);
});

test("pages and hints name only commands that exist", () => {
  assert.equal(namedCommands("run `sluice dataset split`, then sluice nothing else"), ["dataset split"]);
  const known = new Set(commands.map(commandLine).map((line) => line.replace(/^sluice /, "")));
  const files = [...pages, ...projectFiles().filter((file) => product.test(file))];
  const unknown = files.flatMap((file) =>
    namedCommands(read(file))
      .filter((name) => !known.has(name))
      .map((name) => `${file}: sluice ${name}`),
  );
  assert.equal(unknown, []);
});

test("docs/architecture.md links every decision on record", () => {
  const linked = linkTargets(read("docs/architecture.md"));
  const decisions = pages.filter((page) => page.startsWith("docs/adr/")).map((page) => page.replace("docs/", ""));
  assert.equal(
    decisions.filter((decision) => !linked.includes(decision)),
    [],
  );
});

test.run();
