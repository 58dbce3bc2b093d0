// The top-level folders that are compiled, taken from the paths of the layers in test/architecture/layers.json.
import { readFileSync } from "node:fs";

const { imports } = JSON.parse(readFileSync(new URL("../test/architecture/layers.json", import.meta.url), "utf8"));

export const compiledFolders = [...new Set(Object.keys(imports).map((layer) => layer.split("/")[0]))];
