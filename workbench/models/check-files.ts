import { formatMegabytes } from "../../src/domain/number-text.js";
import { toSluiceError } from "../../src/errors/error.js";
import { modelFileName, type ModelFiles } from "../../src/retrieval/model-files.js";
import { graphPaths } from "./external-data.js";
import { failed, type ModelCheck, note, ok } from "./model-check.js";
import { exportFiles, readExport } from "./model-export.js";

/** The files that a description names, as paths inside the model directory. */
export interface DescribedFiles {
  readonly graph: string;
  readonly externalData: readonly string[];
  readonly tokenizer: string;
}

/** Whether the named files are there, whether the graph names the same weight files, and which files are unused. */
export function checkFiles(files: ModelFiles, described: DescribedFiles): readonly ModelCheck[] {
  const named = [described.graph, described.tokenizer, ...described.externalData];
  const absent = named.filter((path) => !files.has(path));
  if (absent.length > 0) return [failed("files", `no ${absent.join(", ")}`, named.join(", "))];
  return [ok("files", named.join(", ")), checkExternalData(files, described), checkUnused(files, named)];
}

function checkExternalData(files: ModelFiles, { graph, externalData }: DescribedFiles): ModelCheck {
  const inWords = (paths: readonly string[]): string => [...paths].sort().join(", ") || "none";
  const found = inWords(externalData);
  try {
    const expected = inWords(graphPaths(files, graph).externalData);
    if (found === expected) return ok("weight files", found);
    return failed("weight files", found, `${expected}, as the graph says`);
  } catch (thrown) {
    return failed("weight files", toSluiceError(thrown).message, "a graph that names them");
  }
}

function checkUnused(files: ModelFiles, named: readonly string[]): ModelCheck {
  const read = new Set([modelFileName, ...named, ...Object.values(exportFiles)]);
  const { pooling, modules = [] } = readExport(files);
  if (pooling !== undefined) read.add(pooling.path);
  for (const { path } of modules) read.add(`${path}/config.json`);
  const unused = [...files].filter(([path]) => !read.has(path));
  if (unused.length === 0) return ok("other files", "none");
  const size = unused.reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const names = unused.map(([path]) => path).join(", ");
  return note("other files", `${names} (${formatMegabytes(size)})`, "unused, but hashed, stored and shipped as well");
}
