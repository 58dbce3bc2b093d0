import { createRequire } from "node:module";

/**
 * Version of the installed ONNX Runtime. Manifests record it, because scores of quantised models may change between
 * versions.
 */
export function onnxRuntimeVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require("onnxruntime-node/package.json") as { readonly version: string };
  return version;
}
