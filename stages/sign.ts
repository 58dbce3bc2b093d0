import type { Signer } from "../release/signing/signer.js";
import { parseTrustPolicy, type TrustStore } from "../src/trust/trust-policy.js";
import { readCalibration } from "../store/records/read-records.js";
import { shortId } from "../store/records/short-id.js";
import { withHistory } from "../store/records/with-history.js";
import { type CreatedManifest, createManifest } from "../release/create-manifest.js";
import { readIfThere } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import { releaseNumbers } from "../release/release-numbers.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** A signer, or a function that opens one after all other checks, so that nobody types a passphrase in vain. */
export type SignerSource = Signer | (() => Promise<Signer>);

/** Opens a signer if needed. */
export const openSigner = async (source: SignerSource): Promise<Signer> =>
  typeof source === "function" ? source() : source;

/** What to sign, and who signs. */
export interface SignManifestOptions {
  /** Who signs; a producer of the trust policy. */
  readonly producer: string;
  readonly signer: SignerSource;
  /** Id of the calibration or its beginning. Default: the latest. */
  readonly calibration?: string | undefined;
  /** Default: made from the calibration. */
  readonly bundleVersion?: string | undefined;
  /** Trust policy that must let the producer sign. Default: trust.json of the workspace, when there is one. */
  readonly trustFile?: string | undefined;
  /** Smallest release that may still run after this one, at least 1. Default: the one before. */
  readonly rollbackFloor?: number | undefined;
  /** Time that the manifest carries, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

/** A manifest that was signed and saved. */
export interface SignedManifest extends CreatedManifest {
  readonly bundleVersion: string;
  /** Number of this release, at least 1. */
  readonly release: number;
  /** Bundle that was exported before; null for the first. */
  readonly supersedes: string | null;
  /** Some tier has a certified threshold. Otherwise the bundle routes only exact events. */
  readonly certified: boolean;
  /** A trust policy exists and lets the producer sign. */
  readonly producerChecked: boolean;
}

/**
 * Pins every identity of a bundle, signs it as its producer and saves it with all files. Every startup check of a
 * server runs first, so that nobody signs what cannot serve.
 *
 * @example const signer = await openPrivateKey("ann.pem", passphrase); const { bundleId } = await
 *   signManifest(workbench, { producer: "ann", signer });
 * @throws {SluiceError} RECORD_NOT_FOUND; GATE_NOT_MET  no audit passed or was accepted; CATALOG_INVALID,
 *   ROLE_MISMATCH, SIGNATURE_INVALID, and the codes of a server's start
 */
export async function signManifest(workbench: WorkbenchContext, options: SignManifestOptions): Promise<SignedManifest> {
  return withHistory(workbench, "write", async (session) => {
    const calibration = readCalibration(session.history, options.calibration);
    const numbers = releaseNumbers(session.history);
    const trust = await trustIfThere(workbench, options.trustFile);
    const bundleVersion = options.bundleVersion ?? `bundle-${shortId(calibration.sha256)}`;
    const created = await createManifest(session, {
      calibrationId: calibration.sha256,
      bundleVersion,
      producer: options.producer,
      signer: await openSigner(options.signer),
      trust,
      createdAtMs: options.atMs ?? workbench.clock(),
      ...numbers,
      rollbackFloor: options.rollbackFloor ?? numbers.rollbackFloor,
    });
    return {
      ...created,
      bundleVersion,
      release: numbers.release,
      supersedes: numbers.supersedes,
      certified: Object.values(calibration.document.tiers).some(({ confidence }) => confidence !== null),
      producerChecked: trust !== null,
    };
  });
}

/** The trust policy that was named, otherwise that of the workspace where there is one. */
async function trustIfThere(workbench: WorkbenchContext, file: string | undefined): Promise<TrustStore | null> {
  const bytes = file === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, file);
  return bytes === null ? null : parseTrustPolicy(bytes);
}
