import { type Static, type TSchema, Type } from "../../src/base/typebox.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { CountSchema } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";
import { checkRelativePath } from "../../src/trust/file-name.js";
import { oci } from "./oci-layout.js";
import { printable } from "../../src/base/text.js";
import { defaultMaxBytes, readStrictJson } from "../../src/trust/strict-json.js";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { pathExists, readInput } from "../../src/base/files.js";
import { readTar } from "./tar.js";
import { readDirectory } from "../../src/trust/directory-hash.js";

const maxLayers = 10_000;
/** An image manifest names each file of the bundle; this size suffices for the largest permitted bundle. */
const maxManifestBytes = 8 * 1024 * 1024;

/** Reference to a blob; members added by other tools are ignored. */
export const DescriptorSchema = Type.Object({
  mediaType: Type.String(),
  digest: Type.String({ pattern: "^sha256:[0-9a-f]{64}$" }),
  size: CountSchema,
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
});
type Descriptor = Static<typeof DescriptorSchema>;

/** Members added by other tools, such as tag names, are ignored; the manifest's digest covers everything else. */
const LayoutSchema = Type.Object({ imageLayoutVersion: Type.Literal(oci.layoutVersion) });
const IndexSchema = Type.Object({
  schemaVersion: Type.Literal(2),
  manifests: Type.Array(DescriptorSchema, { minItems: 1, maxItems: 1 }),
});
const ManifestSchema = Type.Object({
  schemaVersion: Type.Literal(2),
  mediaType: Type.Literal(oci.manifest),
  artifactType: Type.Literal(oci.artifact),
  config: DescriptorSchema,
  layers: Type.Array(DescriptorSchema, { minItems: 1, maxItems: maxLayers }),
});

type Layout = ReadonlyMap<string, Buffer>;

function refused(what: string, text: string): SluiceError {
  return new SluiceError("NOT_CANONICAL", `${what}: ${text}`, {
    hint: "Export the layout again, or get it from the registry.",
    details: { file: what },
  });
}

function fileOf(layout: Layout, path: string): Buffer {
  const bytes = layout.get(path);
  if (bytes !== undefined) return bytes;
  throw new SluiceError("FILE_MISSING", `${path}: is missing`, { details: { file: path } });
}

/** Parses a document that a registry tool may have reformatted. */
function looseJson<S extends TSchema>(layout: Layout, path: string, schema: S): Static<S> {
  const bytes = fileOf(layout, path);
  if (bytes.length > defaultMaxBytes) throw refused(path, `more than ${defaultMaxBytes} bytes`);
  try {
    const document: unknown = JSON.parse(bytes.toString("utf8"));
    return checkSchema(schema, document, path, "NOT_CANONICAL");
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw refused(path, "not well-formed JSON");
  }
}

function blobOf(layout: Layout, { digest, size }: Descriptor): Buffer {
  const path = `${oci.blobs}${digest.slice("sha256:".length)}`;
  const bytes = fileOf(layout, path);
  if (bytes.length === size && `sha256:${sha256Hex(bytes)}` === digest) return bytes;
  const found = `${bytes.length} bytes with sha256 ${sha256Hex(bytes)}`;
  throw new SluiceError("HASH_MISMATCH", `${path}: has ${found}, expected ${size} bytes`, {
    details: { file: path },
  });
}

function refuseUnnamed(layout: Layout, named: readonly Descriptor[]): void {
  const known = new Set<string>([
    oci.layoutFile,
    oci.indexFile,
    ...named.map(({ digest }) => `${oci.blobs}${digest.slice("sha256:".length)}`),
  ]);
  for (const path of layout.keys()) {
    if (known.has(path)) continue;
    throw new SluiceError("FILE_EXTRA", `${printable(path)}: not listed in the layout`, {
      details: { file: path },
    });
  }
}

/**
 * Reads the files of the single bundle in an OCI image layout, and compares every blob with its digest. Approval is
 * checked by `verifyBundleFiles`, not here.
 * @param layout  all files of the layout by path
 * @returns bytes by path inside the bundle
 * @throws {SluiceError} NOT_CANONICAL, FILE_MISSING, FILE_EXTRA, HASH_MISMATCH, FILE_REFUSED, codes of
 *   `readStrictJson`
 */
export function readOciLayout(layout: Layout): ReadonlyMap<string, Buffer> {
  looseJson(layout, oci.layoutFile, LayoutSchema);
  const [described] = looseJson(layout, oci.indexFile, IndexSchema).manifests;
  if (described === undefined) throw refused(oci.indexFile, "names no manifest");
  const document = readStrictJson(blobOf(layout, described), "image manifest", maxManifestBytes);
  const { config, layers } = checkSchema(ManifestSchema, document, "image manifest", "NOT_CANONICAL");
  blobOf(layout, config);
  refuseUnnamed(layout, [described, config, ...layers]);
  const files = new Map<string, Buffer>();
  for (const layer of layers) {
    const path = layer.annotations?.[oci.title];
    if (path === undefined) throw refused("image manifest", `layer ${layer.digest} names no file`);
    checkRelativePath(path);
    if (files.has(path)) throw refused("image manifest", `${printable(path)} is named twice`);
    files.set(path, blobOf(layout, layer));
  }
  return files;
}

/**
 * Reads the files of a packed bundle: a tar archive, or a folder with an OCI image layout. Returns null for any other
 * folder, for links and for missing paths.
 * @throws {SluiceError} the codes of `readTar`, of `readOciLayout` and of `readDirectory`; READ_FAILED
 */
export async function readPacked(path: string): Promise<ReadonlyMap<string, Buffer> | null> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return null;
  if (found.isFile()) {
    return readTar(await readInput(path));
  }
  if (!found.isDirectory() || !(await pathExists(join(path, oci.layoutFile)))) return null;
  return readOciLayout((await readDirectory(path)).files);
}
