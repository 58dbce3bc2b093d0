import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { commandLine } from "../../cli/command.js";
import { commands } from "../../cli/commands.js";
import { assert, packageRoot, test } from "../support/test.js";
import { projectFiles } from "./files.js";
import { productFolders } from "./layers.js";

const product = new RegExp(`^(${productFolders.join("|")})/.*\\.ts$`);
const pages = projectFiles().filter((file) => file.endsWith(".md"));
const read = (file: string): string => readFileSync(join(packageRoot, file), "utf8");

/** Targets of relative links, without their anchors. */
function linkTargets(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(({ groups }) => groups?.["target"] ?? "");
  return targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*$/, ""));
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#{1,4} (?<heading>.+)$/gm)];
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
  return new Set(headings.map(({ groups }) => slug(groups?.["heading"] ?? "")));
}

/** Relative links of a page to a heading: the page that is linked, and the anchor. */
function anchoredLinks(page: string): readonly (readonly [string, string])[] {
  return [...read(page).matchAll(/\]\((?<path>[^)\s#:]*)#(?<anchor>[^)\s]+)\)/g)].map(({ groups }) => {
    const { path = "", anchor = "" } = groups ?? {};
    return [path === "" ? page : join(dirname(page), path), anchor];
  });
}

/** Pages that links lead to from some pages. */
function linkedFrom(from: readonly string[]): readonly string[] {
  return from.flatMap((page) => linkTargets(read(page)).map((target) => join(dirname(page), target)));
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

test("no link of a packaged page leaves the npm package", () => {
  const { files } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
  const packed = (path: string): boolean =>
    ["README.md", "LICENSE", "package.json", ...files].some((entry) =>
      entry.endsWith("/*.md")
        ? path.endsWith(".md") && dirname(path) === dirname(entry)
        : path === entry || path.startsWith(`${entry}/`),
    );
  const packedPages = pages.filter(packed);
  assert.ok(packedPages.length > 50, `only ${packedPages.length} pages were seen`);
  const outside = packedPages.flatMap((page) =>
    linkTargets(read(page))
      .filter((target) => !packed(join(dirname(page), target).replace(/\/$/, "")))
      .map((target) => `${page}: ${target}`),
  );
  assert.equal(outside, []);
});

test("every link to a heading leads to one that exists", () => {
  assert.equal([...anchorsOf("# A `b`\n\n## C: d?\n```\n# e\n```\n")], ["a-b", "c-d"]);
  const broken = pages.flatMap((page) =>
    anchoredLinks(page)
      .filter(([target, anchor]) => target.endsWith(".md") && !anchorsOf(read(target)).has(anchor))
      .map(([target, anchor]) => `${page}: ${target}#${anchor}`),
  );
  assert.equal(broken, []);
});

test("a link that is named after a page leads to that page", () => {
  const misnamed = pages.flatMap((page) =>
    [...read(page).matchAll(/\[(?<text>[\w-]+\.md)\]\((?<target>[^)\s#]*)/g)]
      .filter(({ groups }) => basename(groups?.["target"] ?? "") !== groups?.["text"])
      .map(([link]) => `${page}: ${link}`),
  );
  assert.equal(misnamed, []);
});

const readerPages = pages.filter((page) => /^docs\/(?:[a-z-]+\/)?[A-Za-z-]+\.md$/.test(page));

test("every page of docs/ says in its first lines whom it is for", () => {
  assert.ok(readerPages.length > 30, `only ${readerPages.length} pages were seen`);
  const silent = readerPages.filter((page) => !/^# .+\n\n(?:.*\n)?.*\bFor /.test(read(page)));
  assert.equal(silent, []);
});

test("every page of docs/ is at most two clicks from the README", () => {
  const once = linkedFrom(["README.md"]);
  const near = new Set([...once, ...linkedFrom(once.filter((page) => pages.includes(page)))]);
  assert.equal(
    readerPages.filter((page) => !near.has(page)),
    [],
  );
  const index = new Set(linkedFrom(["docs/README.md"]));
  assert.equal(
    readerPages.filter((page) => page !== "docs/README.md" && !index.has(page)),
    [],
    "docs/README.md links every page",
  );
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
