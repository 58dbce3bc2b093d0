import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { BundleId } from "../../src/documents/primitives.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { bundleFiles, isApprovalPath } from "../../src/trust/bundle-layout.js";
import { comparePaths } from "../../src/trust/directory-hash.js";
import { checkRelativePath } from "../../src/trust/file-name.js";

/** Names and media types of an OCI image layout that contains a bundle. */
export const oci = {
  layoutFile: "oci-layout",
  indexFile: "index.json",
  blobs: "blobs/sha256/",
  layoutVersion: "1.0.0",
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  emptyConfig: "application/vnd.oci.empty.v1+json",
  /** Artifact type that marks an image manifest as a bundle. */
  artifact: "application/vnd.sluice.bundle.v1",
  /** Layer annotation: the path of the file in the bundle. */
  title: "org.opencontainers.image.title",
  /** Manifest annotation: the bundle id. */
  bundleId: "dev.sluice.bundle-id",
} as const;

const emptyConfig = Buffer.from("{}");

function mediaTypeOf(path: string): string {
  if (path === bundleFiles.manifest || isApprovalPath(path)) return "application/vnd.dsse.envelope.v1+json";
  if (path.endsWith(".json")) return "application/json";
  return path.endsWith(".yaml") ? "application/yaml" : "application/octet-stream";
}

function descriptor(mediaType: string, bytes: Uint8Array) {
  return { mediaType, digest: `sha256:${sha256Hex(bytes)}`, size: bytes.length };
}

function blobPath(bytes: Uint8Array): string {
  return `${oci.blobs}${sha256Hex(bytes)}`;
}

/**
 * Packs a bundle as an OCI image layout, so that a registry can store it. The layout has one image manifest with one
 * layer per file. Equal bundles give equal bytes; equal files share a blob. Source:
 * https://github.com/opencontainers/image-spec v1.1, image-layout.md and manifest.md (artifact usage)
 * @param files     bytes by path inside the bundle
 * @param bundleId  informational annotation; the signed manifest is authoritative
 */
export function ociLayout(files: ReadonlyMap<string, Uint8Array>, bundleId: BundleId): ReadonlyMap<string, Uint8Array> {
  const sorted = [...files].sort(([a], [b]) => comparePaths(a, b));
  const layers = sorted.map(([path, bytes]) => {
    checkRelativePath(path);
    return { ...descriptor(mediaTypeOf(path), bytes), annotations: { [oci.title]: path } };
  });
  const manifest = canonicalBytes({
    schemaVersion: 2,
    mediaType: oci.manifest,
    artifactType: oci.artifact,
    config: descriptor(oci.emptyConfig, emptyConfig),
    layers,
    annotations: { [oci.bundleId]: bundleId },
  });
  const index = canonicalBytes({
    schemaVersion: 2,
    mediaType: oci.index,
    manifests: [{ ...descriptor(oci.manifest, manifest), artifactType: oci.artifact }],
  });
  const blobs = [emptyConfig, manifest, ...sorted.map(([, bytes]) => bytes)];
  return new Map<string, Uint8Array>([
    [oci.layoutFile, canonicalBytes({ imageLayoutVersion: oci.layoutVersion })],
    [oci.indexFile, index],
    ...blobs.map((bytes) => [blobPath(bytes), bytes] as const),
  ]);
}
