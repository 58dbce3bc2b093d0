import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/package-root.js";

/** The tables of test/architecture/layers.json. */
export interface Layers {
  /** Layers from the bottom up; a layer imports only from lower floors. */
  readonly floors: readonly (readonly string[])[];
  /** For each layer what it may import; `core` stands for every folder of src. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** For some layers the rooms whose types they may name besides, in imports without code. */
  readonly typesOnly: Readonly<Record<string, readonly string[]>>;
  /** For each package the layers that may import it; tests and benchmarks always may. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
}

export const layers = JSON.parse(readFileSync(join(packageRoot, "test/architecture/layers.json"), "utf8")) as Layers;

const names = Object.keys(layers.imports);

/** Top-level folders that are compiled, from the table of layers. */
export const compiledFolders: readonly string[] = [...new Set(names.map((layer) => layer.split("/")[0] ?? layer))];

/** Top-level folders whose code users run: all but tests and experiments. */
export const productFolders: readonly string[] = compiledFolders.filter(
  (folder) => folder !== "test" && folder !== "bench",
);

const core = names.filter((layer) => layer.startsWith("src/"));

/** Names of layers with `core` written out. */
export const expandCore = (allowed: readonly string[]): string[] =>
  allowed.flatMap((name) => (name === "core" ? core : [name]));

/** The layer of a file, or undefined when the table has none; `src` is the facade alone. */
export function layerOf(file: string): string | undefined {
  return names
    .filter((layer) => (layer === "src" ? file === "src/index.ts" : file.startsWith(`${layer}/`)))
    .sort((a, b) => b.length - a.length)[0];
}
