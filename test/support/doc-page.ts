import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./package-root.js";

/** Text of a page of docs/. */
export function docPage(name: string): string {
  return readFileSync(join(packageRoot, "docs", name), "utf8");
}

/** The part of a page below a heading of the second level, up to the next one. */
export function docSection(page: string, heading: string): string {
  const parts = page.split(/^## /mu);
  const found = parts.find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`the page has no section "${heading}"`);
  return found;
}

/** Code blocks of one language, in the order of the page. */
export function codeBlocks(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gmu"))].map(
    (match) => match[1] ?? "",
  );
}

/** Words of a shell line; quotes keep words together. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}
