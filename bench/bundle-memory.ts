/**
 * Measures the memory of one more bundle. Loads models next to a first pair, as a replacement does, and compares the
 * growth of the resident memory with the size of the files, for the 112 workflows of the service desk: with the default
 * models, with tiny models (which show the cost of a thread), and with a BERT encoder and a cross-encoder.
 * `serve/control/require-memory.ts` must require more than is measured here.
 *
 *   node --expose-gc dist/bench/bundle-memory.js          (needs the shared models)
 */
import { loadModels, type ModelSources } from "../src/router/load-models.js";
import { memoryNeed } from "../serve/control/require-memory.js";
import { interactionVerifierFiles } from "../test/support/cross-encoder-files.js";
import { tinyBertEncoder } from "../test/support/encoder-files.js";
import { retrieverFiles, verifierFiles } from "../test/support/models.js";
import { serviceDeskCatalog } from "../test/support/service-desk.js";
import { defaultModels } from "./serving/default-models.js";

const mega = 1024 ** 2;
const catalog = await serviceDeskCatalog();

const shipped = await defaultModels();

const cases: Readonly<Record<string, () => ModelSources>> = {
  default: () => shipped,
  lexical: () => ({ retrieverFiles: retrieverFiles(), verifierFiles: verifierFiles() }),
  "BERT encoder and cross-encoder": () => ({
    retrieverFiles: tinyBertEncoder("model.onnx"),
    verifierFiles: interactionVerifierFiles(),
  }),
};

const residentBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

process.stdout.write("models, workers: MiB of files, MiB that the second pair took, MiB that is asked for\n");
for (const [name, sources] of Object.entries(cases)) {
  for (const workers of [1, 2, 4]) {
    const options = { workers, queueLimit: 64 };
    const first = await loadModels(catalog, sources(), options);
    const before = residentBytes();
    const files = sources();
    const fileBytes = [...files.retrieverFiles.values(), ...files.verifierFiles.values()].reduce(
      (sum, bytes) => sum + bytes.length,
      0,
    );
    const second = await loadModels(catalog, files, options);
    const taken = residentBytes() - before;
    const numbers = [fileBytes, taken, memoryNeed(fileBytes, workers)].map((bytes) => (bytes / mega).toFixed(1));
    process.stdout.write(`${name}, ${workers}: ${numbers.join(", ")}\n`);
    await Promise.all([first.close(), second.close()]);
  }
}
