// Lists each figure that a page publishes with its page, section and the command that measures it. Ends with exit code 1
// if a section under bench/ publishes a table without a command, or a command names a script that does not exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["bench", "docs/concepts", "docs/how-to", "docs/reference"];
const pages = [
  "README.md",
  ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
].filter((page) => page.endsWith(".md"));

const command = /`((?:[A-Z]+=\S+ )?(?:node|npm|npx|sluice|python3) [^`]+)`/gu;
const figure =
  /(?<![\w.:/-])\d[\d,]*(?:\.\d+)?(?:%| (?:ms|s|minutes|MB|MiB|GiB|lines|words|requests|wrong|of \d[\d,]*)\b)/gu;
const measurements = /\]\(([^)\s]*bench\/[^)\s]+)\)/gu;
const commands = (text) => [...text.matchAll(command)].map(([, words]) => words);

/** Sections of a page; a subsection without a command has those of the sections around it. */
function sections(page) {
  const open = [];
  const found = [];
  for (const part of readFileSync(join(root, page), "utf8").split(/^(?=#{1,4} )/mu)) {
    const [, marks = "#", title = page] = /^(#+) (.+)/u.exec(part) ?? [];
    while (open.length > 0 && open.at(-1).level >= marks.length) open.pop();
    open.push({ level: marks.length, commands: commands(part) });
    found.push({
      page,
      title: title.replaceAll("`", ""),
      figures: [...part.matchAll(figure)].map(([text]) => text),
      table: /^\|[ :-]+\|/mu.test(part),
      links: [...new Set([...part.matchAll(measurements)].map(([, link]) => link))],
      commands: open.findLast((one) => one.commands.length > 0)?.commands ?? [],
    });
  }
  return found;
}

const published = pages.flatMap(sections).filter(({ figures, table }) => figures.length > 0 || table);
for (const { page, title, figures, links, commands: by } of published) {
  const measured = [...by, ...links.map((link) => `see ${link}`)];
  process.stdout.write(`${page}: ${title}\n  figures   ${figures.join("; ") || "those of the table"}\n`);
  process.stdout.write(`  measured  ${measured.join("\n            ") || "no command or link in this section"}\n`);
}

const script = /node (?:dist\/)?(\S+\.m?js)/u;
const faults = published.flatMap(({ page, title, table, commands: by }) => [
  ...(table && by.length === 0 && page.startsWith("bench/")
    ? [`${page}: "${title}" has a table without a command`]
    : []),
  ...by
    .map((words) => script.exec(words)?.[1])
    .filter(
      (file) =>
        file !== undefined && !existsSync(join(root, file.replace(/\.js$/u, ".ts"))) && !existsSync(join(root, file)),
    )
    .map((file) => `${page}: "${title}" names ${file}, which does not exist`),
]);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${published.length} sections with figures, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
