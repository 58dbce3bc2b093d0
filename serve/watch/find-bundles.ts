import { readStoredFile } from "../../src/base/files.js";
import { readdir, realpath, stat } from "node:fs/promises";
import { type BundleId, BundleIdSchema } from "../../src/documents/primitives.js";
import { dirname, join, resolve } from "node:path";
import { Type } from "../../src/base/typebox.js";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { requireInPlace } from "../../src/trust/left-behind.js";
import { maxEnvelopeBytes } from "../../src/trust/statements.js";
import { matchesSchema } from "../../src/documents/check-schema.js";
import { SluiceError } from "../../src/base/error.js";

/** Unverified claims of an exported bundle, used only to select bundles for verification. */
export interface BundleClaim {
  /** Absolute path, with links resolved. */
  readonly directory: string;
  readonly bundleId: BundleId;
  readonly release: number;
}

export interface FoundBundles {
  /** `one`: a bundle, a link to one, or a pointer file; `many`: a folder of bundles. */
  readonly kind: "one" | "many";
  /** Highest release first. */
  readonly claims: readonly BundleClaim[];
}

const maxPointerBytes = 4096;

/** The claimed fields; verification checks the others. */
const ClaimedIndexSchema = Type.Object({ bundle_id: BundleIdSchema });
const ClaimedEnvelopeSchema = Type.Object({ payload: Type.String() });
const ClaimedStatementSchema = Type.Object({ predicate: Type.Object({ release: Type.Integer() }) });

/**
 * Finds the bundles at a path: an exported bundle, a symbolic link to one, a text file with the path of one (relative
 * to the file), or a folder of exported bundles, in which other folders are skipped.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED
 */
export async function findBundles(path: string): Promise<FoundBundles> {
  try {
    const target = await realpath((await isFile(path)) ? await pointedTo(path) : path);
    const claim = await claimOf(target);
    if (claim !== null) return { kind: "one", claims: [claim] };
    const names = await readdir(target, { withFileTypes: true });
    const folders = names.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    const claims = await Promise.all(folders.map(({ name }) => claimOf(join(target, name))));
    const found = claims.filter((entry) => entry !== null);
    return { kind: "many", claims: found.sort((a, b) => b.release - a.release) };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const missing = code === "ENOENT";
    if (missing) await requireInPlace(path);
    throw new SluiceError(missing ? "FILE_NOT_FOUND" : "READ_FAILED", `${path}: no bundle found (${code})`, {
      hint: "Use an exported bundle, a link or a pointer file to one, or a folder of exported bundles.",
      cause,
    });
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path)).isFile();
}

async function pointedTo(file: string): Promise<string> {
  const text = (await readStoredFile(file, { followLinks: true })).toString("utf8", 0, maxPointerBytes);
  return resolve(dirname(file), text.trim());
}

/** null if the folder has no readable bundle. A copy that is still being written is found by a later check. */
async function claimOf(directory: string): Promise<BundleClaim | null> {
  try {
    const index = await readJson(join(directory, bundleFiles.index));
    const envelope = await readJson(join(directory, bundleFiles.manifest));
    if (!matchesSchema(ClaimedIndexSchema, index) || !matchesSchema(ClaimedEnvelopeSchema, envelope)) return null;
    const statement: unknown = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8"));
    if (!matchesSchema(ClaimedStatementSchema, statement)) return null;
    return { directory, bundleId: index.bundle_id, release: statement.predicate.release };
  } catch {
    return null;
  }
}

/** Candidates are unverified, so files too large for a bundle are not read. */
async function readJson(path: string): Promise<unknown> {
  return JSON.parse((await readStoredFile(path, { maxBytes: maxEnvelopeBytes })).toString("utf8"));
}
