/** The multilingual models: files, tokens and vectors are what the build recorded with the reference libraries. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { unbounded } from "../../src/documents/run-scope.js";
import { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { loadTextEncoder } from "../../src/router/retrieval/text-encoder.js";
import { shippedFolder } from "../../store/shipped-models.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { withPool } from "../support/pools.js";

interface Record {
  readonly out: Readonly<{ readonly [file: string]: string }>;
  readonly texts: readonly {
    readonly text: string;
    readonly tokens: readonly number[];
    readonly embedding: readonly number[];
  }[];
}
const folder = join(packageRoot, "models", "multilingual", "retriever");
const built = JSON.parse(readFileSync(join(packageRoot, "models", "build", "multilingual.json"), "utf8")) as Record;

test("files, tokens and vectors of the multilingual encoder are those of its build", async () => {
  for (const [file, sha256] of Object.entries(built.out)) {
    assert.is(sha256Hex(readFileSync(join(folder, file))), sha256, file);
  }
  const tokenizer = new TextTokenizer(readFileSync(join(folder, "tokenizer.json")));
  const texts = built.texts.slice(0, 16);
  for (const { text, tokens } of texts) assert.equal(tokenizer.encodeText(text, 64).ids, tokens, text);
  const { files } = await readDirectory(folder);
  await withPool({}, async (pool) => {
    const encoder = await loadTextEncoder(files, parseRetrieverModel(files), pool);
    for (const { text, embedding } of texts) {
      const { vector } = (await encoder?.encode(text, unbounded)) ?? {};
      const differences = embedding.map((value, at) => Math.abs(value - (vector?.[at] ?? Number.NaN)));
      assert.ok(Math.max(...differences) < 0.02, text);
    }
  });
});

test("without the package of the multilingual models, the error names the command that adds it", () =>
  inTemporaryFolder((cwd) => {
    assert.throws(() => shippedFolder("multilingual", "retriever", cwd), /optional package sluice-models-multilingual/);
    assert.ok(shippedFolder("multilingual", "retriever").startsWith(packageRoot));
  }));
