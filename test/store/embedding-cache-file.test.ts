import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import { embeddingCacheFolder } from "../../store/embedding-cache-file.js";
import { assert, rejects, testWith } from "../support/test.js";

const test = testWith<{ folder: string }>();

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-cache-"));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const encoder = { sha256: sha256Hex("an encoder"), dimensions: 3 };
const keys = ["one", "two", "three"].map(sha256Hex);
const [one = "", two = "", three = ""] = keys;
const vectorOf = (key: string): Float32Array => Float32Array.of(keys.indexOf(key as Sha256), -0.5, 1e-30);
const recordBytes = 32 + 3 * 4 + 4;

/** A folder whose cache holds the given keys; the path of its file. */
async function saved(folder: string, some: readonly string[]): Promise<string> {
  const cache = await embeddingCacheFolder(folder)(encoder);
  for (const key of some) cache.put(key, vectorOf(key));
  await cache.save();
  return join(folder, `${encoder.sha256}.vectors`);
}

/** Which of the keys a fresh cache holds, with the right vectors. */
async function held(folder: string): Promise<readonly string[]> {
  const cache = await embeddingCacheFolder(folder)(encoder);
  return keys.filter((key) => {
    const vector = cache.get(key);
    if (vector !== null) assert.equal(vector, vectorOf(key));
    return vector !== null;
  });
}

test("what was saved is there for the next process, bit for bit", async ({ folder }) => {
  const path = await saved(join(folder, "not", "there", "yet"), keys);
  assert.equal(await held(join(folder, "not", "there", "yet")), keys);
  assert.is(readFileSync(path).length, 3 * recordBytes);
});

test("what was not saved is not there", async ({ folder }) => {
  await saved(folder, [one]);
  const cache = await embeddingCacheFolder(folder)(encoder);
  cache.put(two, vectorOf(two));
  assert.equal(cache.get(two), vectorOf(two));
  assert.equal(await held(folder), [one]);
});

test("another encoder has another file", async ({ folder }) => {
  await saved(folder, keys);
  const other = await embeddingCacheFolder(folder)({ ...encoder, sha256: sha256Hex("another") });
  assert.is(other.get(one), null);
});

test("a damaged record reads as missing and is removed by the next save", async ({ folder }) => {
  const path = await saved(folder, keys);
  const bytes = readFileSync(path);
  bytes[recordBytes + 40] = (bytes[recordBytes + 40] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  assert.equal(await held(folder), [one, three]);

  await saved(folder, []);
  assert.is(readFileSync(path).length, 2 * recordBytes);
});

test("a torn record at the end reads as missing and is rewritten", async ({ folder }) => {
  const path = await saved(folder, keys);
  truncateSync(path, 3 * recordBytes - 5);
  assert.equal(await held(folder), [one, two]);
  await saved(folder, [three]);
  assert.equal(await held(folder), keys);
  assert.is(readFileSync(path).length, 3 * recordBytes);
});

test("a file of something else holds nothing and is replaced", async ({ folder }) => {
  writeFileSync(join(folder, `${encoder.sha256}.vectors`), "x".repeat(1000));
  assert.equal(await held(folder), []);
  await saved(folder, [one]);
  assert.equal(await held(folder), [one]);
});

test("two caches that save at once leave one whole file and nothing else", async ({ folder }) => {
  await Promise.all([saved(folder, [one, two]), saved(folder, [two, three])]);
  const left = await held(folder);
  // The later one adds to the earlier file if that was whole when it read.
  assert.ok(left.length >= 2 && left.includes(two), left.join());
  assert.equal(readdirSync(folder), [`${encoder.sha256}.vectors`]);
});

test("a process adds to what another one saved meanwhile", async ({ folder }) => {
  const cache = await embeddingCacheFolder(folder)(encoder);
  cache.put(one, vectorOf(one));
  await saved(folder, [two]);
  await cache.save();
  assert.equal(await held(folder), [one, two]);
});

test("a full file keeps what its last process used", async ({ folder }) => {
  const roomForTwo = embeddingCacheFolder(folder, 2 * recordBytes);
  const first = await roomForTwo(encoder);
  for (const key of keys) first.put(key, vectorOf(key));
  assert.is(first.get(three), null);
  await first.save();
  assert.equal(await held(folder), [one, two]);

  const second = await roomForTwo(encoder);
  assert.equal(second.get(two), vectorOf(two));
  second.put(three, vectorOf(three));
  await second.save();
  assert.equal(await held(folder), [two, three]);
});

test("a folder that cannot be written or read is an error that names it", async ({ folder }) => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const below = join(file, "below");
  const read = await rejects(embeddingCacheFolder(below)(encoder), "READ_FAILED");
  assert.match(read.hint ?? "", /rm /);

  const path = await saved(folder, [one]);
  const cache = await embeddingCacheFolder(folder)(encoder);
  cache.put(two, vectorOf(two));
  rmSync(path);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  assert.match((await rejects(cache.save(), "WRITE_FAILED")).message, /\.vectors/);
});

test("vectors of this process are not checked, those of the file take part once", async ({ folder }) => {
  const texts = Array.from({ length: 100 }, (_, at) => sha256Hex(`text ${at}`));
  const first = await embeddingCacheFolder(folder)(encoder);
  for (const key of texts) first.put(key, Float32Array.of(1, 0, 0));
  assert.equal([first.toCheck(texts), texts.filter((key) => first.draws(key))], [[], []]);
  await first.save();
  const second = await embeddingCacheFolder(folder)(encoder);
  assert.is(second.toCheck(texts).length, 8);
  assert.equal(second.toCheck(texts), []);
  const third = await embeddingCacheFolder(folder)(encoder);
  const drawn = Array.from({ length: 2000 }, (_, at) => `elsewhere ${at}`).filter((key) => third.draws(key));
  assert.ok(drawn.length > 30 && drawn.length < 150, String(drawn.length));
  assert.ok(!drawn.some((key) => third.draws(key)));
});
