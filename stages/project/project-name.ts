import { basename, extname } from "node:path";

/** Maximum length of a drafted name, in characters. */
const longestName = 60;

/** The name of a project that is drafted from a file: its name without ending, accents and signs. */
export function projectName(source: string): string {
  const plain = basename(source, extname(source)).normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
  const name = plain.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "");
  return name.slice(0, longestName) || "project";
}
