/** transformers.js with the graph and the tokenizer of the default retriever. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";

interface TransformersModule {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  readonly AutoTokenizer: {
    readonly from_pretrained: (name: string) => Promise<(text: string, options: object) => object>;
  };
  readonly AutoModel: {
    readonly from_pretrained: (name: string, options: object) => Promise<(inputs: object) => Promise<object>>;
  };
}

/** In a variable, because the package is not a dependency; it is measured only if installed. */
const transformersPackage = "@huggingface/transformers";
const require = createRequire(import.meta.url);
const modelName = "retriever";

/** Whether transformers.js is installed, which is not a dependency. */
export function transformersInstalled(): boolean {
  try {
    require.resolve(transformersPackage);
    return true;
  } catch {
    return false;
  }
}

/** Embeds one text with transformers.js on one thread, like a session of Sluice. */
export async function transformersEmbedder(
  files: ModelFiles,
  maxTokens: number,
): Promise<(text: string) => Promise<object>> {
  const { env, AutoTokenizer, AutoModel } = (await import(transformersPackage)) as TransformersModule;
  const folder = mkdtempSync(join(tmpdir(), "sluice-transformers-"));
  try {
    mkdirSync(join(folder, modelName, "onnx"), { recursive: true });
    const write = (path: string, bytes: Buffer | string): void => writeFileSync(join(folder, modelName, path), bytes);
    write("onnx/model.onnx", files.get("model.onnx") ?? "");
    write("tokenizer.json", files.get("tokenizer.json") ?? "");
    write("tokenizer_config.json", JSON.stringify({ tokenizer_class: "BertTokenizer" }));
    write("config.json", JSON.stringify({ model_type: "bert" }));
    env.allowRemoteModels = false;
    env.localModelPath = folder;
    const tokenizer = await AutoTokenizer.from_pretrained(modelName);
    const oneThread = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" };
    const model = await AutoModel.from_pretrained(modelName, {
      dtype: "fp32",
      device: "cpu",
      session_options: oneThread,
    });
    return (text) => model(tokenizer(text, { truncation: true, max_length: maxTokens }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
