import { execFileSync } from "node:child_process";
import type { BundleId } from "../../../src/documents/primitives.js";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { ociLayout } from "../../../release/bundle-files/oci-layout.js";
import { readOciLayout } from "../../../release/bundle-files/read-oci-layout.js";
import { verifyBundleFiles } from "../../../src/trust/verify/verify-bundle.js";
import { writeFolder } from "../../../release/bundle-files/write-folder.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, inTemporaryFolder, rejects, test, throws } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";
import { testQuestion, verifyTestBundle } from "../../support/verify-test-bundle.js";

/** Bundle and layout in a fresh folder. */
const withLayout = (run: (folder: string, layout: string) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const { directory, bundleId } = await writeTestBundle(join(folder, "bundle"));
    const layout = join(folder, "layout");
    const { files } = await readDirectory(directory);
    await writeFolder({ directory: layout, files: ociLayout(files, bundleId) });
    await run(folder, layout);
  });

test("a layout holds the files of the bundle byte for byte, and verifies as the folder does", () =>
  withLayout(async (folder, layout) => {
    const bundle = await readDirectory(join(folder, "bundle"));
    const files = readOciLayout((await readDirectory(layout)).files);
    assert.equal([...files.keys()], [...bundle.files.keys()]);
    for (const [path, bytes] of bundle.files) assert.ok(files.get(path)?.equals(bytes), path);
    const [packed, unpacked] = [
      verifyBundleFiles(files, layout, testQuestion),
      await verifyTestBundle(join(folder, "bundle")),
    ];
    assert.is(packed.bundleId, unpacked.bundleId);
    assert.equal(packed.end, unpacked.end);
  }));

test("two layouts of one bundle are byte-identical, whatever the order of its files", () =>
  withLayout(async (folder, layout) => {
    const { files } = await readDirectory(join(folder, "bundle"));
    const { bundleId } = await verifyTestBundle(join(folder, "bundle"));
    const again = join(folder, "again");
    await writeFolder({ directory: again, files: ociLayout(new Map([...files].reverse()), bundleId) });
    assert.equal((await readDirectory(again)).entries, (await readDirectory(layout)).entries);
    await rejects(writeFolder({ directory: again, files }), "FILE_EXISTS");
    assert.equal(readdirSync(folder).sort(), ["again", "bundle", "layout"]);
  }));

test("jq and sha256sum read it as the image specification says", () =>
  withLayout(async (_folder, layout) => {
    const script = `set -eu
      test "$(jq -r .imageLayoutVersion oci-layout)" = 1.0.0
      digest=$(jq -r '.manifests[0].digest' index.json | cut -d: -f2)
      jq -r '.config, .layers[] | .digest | sub("sha256:"; "")' "blobs/sha256/$digest" > names
      for name in $digest $(cat names); do echo "$name  blobs/sha256/$name"; done | sha256sum -c --quiet -
      test "$(jq -r .artifactType "blobs/sha256/$digest")" = application/vnd.sluice.bundle.v1
      jq -r '.layers[] | select(.annotations["org.opencontainers.image.title"] == "catalog.yaml") | .size' "blobs/sha256/$digest"`;
    const size = execFileSync("sh", ["-c", script], { cwd: layout, encoding: "utf8" });
    assert.is(Number(size), "catalog_version: test-1\nworkflows: []\n".length);
  }));

const bundle = new Map([
  ["a/b.json", Buffer.from("{}")],
  ["c", Buffer.from("same")],
  ["d", Buffer.from("same")],
]);
const layoutOf = (files: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...ociLayout(files, "0".repeat(64) as BundleId)].map(([path, bytes]) => [path, Buffer.from(bytes)]));

interface ImageManifest {
  readonly artifactType: string;
  readonly layers: readonly { readonly annotations: Record<string, string> }[];
}

/** The layout with another image manifest, written as an attacker writes it: with matching digests. */
function withManifest(change: (manifest: ImageManifest) => object): Map<string, Buffer> {
  const layout = layoutOf(bundle);
  const index = JSON.parse(layout.get("index.json")?.toString() ?? "") as { manifests: { digest: string }[] };
  const old = index.manifests[0]?.digest.slice(7) ?? "";
  const manifest = JSON.parse(layout.get(`blobs/sha256/${old}`)?.toString() ?? "") as ImageManifest;
  const bytes = canonicalBytes(change(manifest));
  layout.delete(`blobs/sha256/${old}`);
  const digest = sha256Hex(bytes);
  layout.set(`blobs/sha256/${digest}`, bytes);
  const described = { ...index.manifests[0], digest: `sha256:${digest}`, size: bytes.length };
  layout.set("index.json", canonicalBytes({ ...index, manifests: [described] }));
  return layout;
}

const renamed = (name: string) => (manifest: ImageManifest) => ({
  ...manifest,
  layers: manifest.layers.map((layer) => ({ ...layer, annotations: { "org.opencontainers.image.title": name } })),
});
const unnamed = (manifest: ImageManifest) => ({
  ...manifest,
  layers: manifest.layers.map((layer) => ({ ...layer, annotations: {} })),
});
const changed = (path: string, text: string) => layoutOf(bundle).set(path, Buffer.from(text));
const without = (path: string) => {
  const layout = layoutOf(bundle);
  layout.delete(path);
  return layout;
};
const sameBlob = `blobs/sha256/${sha256Hex("same")}`;

const refused: readonly (readonly [string, ReadonlyMap<string, Buffer>, ErrorCode])[] = [
  ["a changed blob", changed(sameBlob, "SAME"), "HASH_MISMATCH"],
  ["a longer blob", changed(sameBlob, "same "), "HASH_MISMATCH"],
  ["a missing blob", without(sameBlob), "FILE_MISSING"],
  ["no index", without("index.json"), "FILE_MISSING"],
  ["no layout file", without("oci-layout"), "FILE_MISSING"],
  ["another layout version", changed("oci-layout", '{"imageLayoutVersion":"2.0.0"}'), "NOT_CANONICAL"],
  ["an index that is no JSON", changed("index.json", "{"), "NOT_CANONICAL"],
  ["an index without manifests", changed("index.json", '{"schemaVersion":2,"manifests":[]}'), "NOT_CANONICAL"],
  ["a blob that nothing names", changed("blobs/sha256/extra", "x"), "FILE_EXTRA"],
  ["another artifact type", withManifest((m) => ({ ...m, artifactType: "application/other" })), "NOT_CANONICAL"],
  ["a layer without a name", withManifest(unnamed), "NOT_CANONICAL"],
  ["files of one name", withManifest(renamed("same")), "NOT_CANONICAL"],
  ["a path that leaves the folder", withManifest(renamed("../x")), "FILE_REFUSED"],
  ["an absolute path", withManifest(renamed("/etc/passwd")), "FILE_REFUSED"],
];
for (const [name, layout, code] of refused) {
  test(`a layout with ${name} is refused`, () => {
    throws(() => readOciLayout(layout), code);
  });
}

test("what a registry tool adds to the index changes nothing", () => {
  const layout = layoutOf(bundle);
  const index = JSON.parse(layout.get("index.json")?.toString() ?? "") as { manifests: object[] };
  const tagged = {
    ...index,
    manifests: [{ ...index.manifests[0], annotations: { "org.opencontainers.image.ref.name": "v1" } }],
  };
  layout.set("index.json", Buffer.from(JSON.stringify(tagged, null, 2)));
  assert.equal(readOciLayout(layout), bundle);
});

test("equal files share a blob, and an empty file has one", () => {
  const layout = layoutOf(new Map([...bundle, ["e", Buffer.alloc(0)]]));
  assert.is([...layout.keys()].filter((path) => path.startsWith("blobs/")).length, 4);
  assert.is(readOciLayout(layout).get("e")?.length, 0);
});

test("names that differ in letter case only are refused before anything is written", () => {
  const twins = new Map([
    ["a", Buffer.from("1")],
    ["A", Buffer.from("2")],
  ]);
  throws(() => verifyBundleFiles(readOciLayout(layoutOf(twins)), "layout", testQuestion), "FILE_REFUSED");
});

test("an interrupted writing leaves nothing", () =>
  withLayout(async (folder) => {
    const place = join(folder, "third");
    const check = async (staged: string): Promise<void> => {
      assert.ok(existsSync(join(staged, "index.json")));
      assert.ok(readFileSync(join(staged, "oci-layout")).length > 0);
      throw new Error("interrupted");
    };
    await rejects(writeFolder({ directory: place, files: layoutOf(bundle), check }), "WRITE_FAILED");
    assert.equal(readdirSync(folder).sort(), ["bundle", "layout"]);
  }));
