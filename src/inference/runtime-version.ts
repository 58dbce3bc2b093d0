import { createRequire } from "node:module";

/** Version of the installed ONNX Runtime: quantised scores may move between versions, so manifests record it. */
export function onnxRuntimeVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require("onnxruntime-node/package.json") as { readonly version: string };
  return version;
}
