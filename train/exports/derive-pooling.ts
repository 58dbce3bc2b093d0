import type { GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { type Pooling, poolings } from "../../src/documents/choices.js";
import { exportFiles, type ModelExport, type PoolingFile } from "./model-export.js";
import { type Derived, isMissing, refused } from "./derived.js";

/** sentence-transformers pooling modes that the runtime supports. */
const known: Readonly<Record<string, Pooling>> = {
  cls: "cls",
  cls_token: "cls",
  mean: "mean",
  mean_tokens: "mean",
  max: "max",
  max_tokens: "max",
  lasttoken: "last_token",
};

/** Modules that the runtime implements; any other module must be part of the graph. */
const ownModules = new Set(["Transformer", "Pooling", "Normalize"]);

const supported = poolings.filter((pooling) => pooling !== "none");
const modePrefix = "pooling_mode_";
const flag = `--pooling ${poolings.join("|")}`;

/** The pooling of token vectors into one vector: from the export, or from the flag if the export does not state it. */
export function derivePooling(
  model: ModelExport,
  output: GraphPortFacts,
  wanted: Pooling | undefined,
): Derived<Pooling> {
  const rank = output.shape.length;
  if (rank === 2) {
    if (wanted === undefined || wanted === "none") {
      return { value: "none", source: `output ${output.name} is one vector for each text` };
    }
    return refused(`--pooling ${wanted}, but output ${output.name} is one vector for each text`, "--pooling none");
  }
  if (rank !== 3 && rank !== 0) {
    return { missing: `output ${output.name} has ${rank} dimensions, expected 2 or 3`, flag: "--graph-output NAME" };
  }
  if (wanted === "none") {
    const usable = `--pooling ${supported.join("|")}`;
    return refused(`--pooling none, but output ${output.name} has a vector for each token`, usable);
  }
  return poolTokens(model, wanted);
}

function poolTokens(model: ModelExport, wanted: Pooling | undefined): Derived<Pooling> {
  const foreign = model.modules?.find(({ name }) => !ownModules.has(name));
  if (foreign !== undefined) {
    const missing = `${exportFiles.modules} has a module ${foreign.name}, which is not part of the graph's token vectors`;
    return { missing, flag: "--graph-output NAME" };
  }
  const exported = exportedPooling(model.pooling);
  if (exported === undefined) {
    return wanted === undefined
      ? { missing: "the export has no pooling module (1_Pooling/config.json)", flag }
      : { value: wanted, source: "--pooling" };
  }
  if (isMissing(exported) || wanted === undefined || wanted === exported.value) return exported;
  return refused(`--pooling ${wanted}, but ${exported.source} says ${exported.value}`, `--pooling ${exported.value}`);
}

/** Pooling in the configuration of the pooling module; undefined if there is none. */
export function exportedPooling(file: PoolingFile | undefined): Derived<Pooling> | undefined {
  if (file === undefined) return undefined;
  const modes = poolingModes(file);
  const [mode] = modes;
  const value = mode === undefined || modes.length > 1 ? undefined : known[mode];
  if (value !== undefined) return { value, source: file.path };
  const found = modes.length === 0 ? "no mode" : modes.join(" and ");
  const missing = `${file.path} says ${found}; the runtime has one of ${supported.join(", ")}`;
  return { missing, flag: "an export whose graph pools by itself (output sentence_embedding)" };
}

/** The enabled modes; newer files have them as one string, joined by `+`. */
function poolingModes({ settings }: PoolingFile): readonly string[] {
  const named = settings["pooling_mode"];
  if (typeof named === "string") return named.split("+");
  return Object.entries(settings)
    .filter(([key, on]) => key.startsWith(modePrefix) && on === true)
    .map(([key]) => key.slice(modePrefix.length));
}

/** Whether vectors are scaled to length 1. */
export function deriveNormalise(model: ModelExport, wanted: boolean | undefined): Derived<boolean> {
  const flag = "--normalise true|false";
  const module = model.modules?.find(({ name }) => name === "Normalize");
  if (module !== undefined && wanted === false) {
    return refused(`--normalise false, but ${exportFiles.modules} has ${module.path}`, "--normalise true");
  }
  if (wanted !== undefined) return { value: wanted, source: "--normalise" };
  if (module !== undefined) return { value: true, source: `${exportFiles.modules} (${module.path})` };
  const similarity = model.prompts?.similarity_fn_name ?? undefined;
  switch (similarity) {
    case undefined:
      return { value: true, source: "assumed: cosine similarity, which is usual" };
    case "cosine":
      return { value: true, source: `${exportFiles.prompts} (similarity_fn_name cosine)` };
    case "dot":
      return { value: false, source: `${exportFiles.prompts} (similarity_fn_name dot)` };
    default:
      return { missing: `${exportFiles.prompts} compares by ${similarity}, the runtime by dot product`, flag };
  }
}
