import { counted } from "../../src/documents/number-text.js";
import { claimDigests } from "../../src/trust/verify/open-manifest.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { ReproductionSource } from "../../src/documents/choices.js";
import type { Manifest, StatedReproduction } from "../../src/documents/signed.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { shortId } from "../../src/base/text.js";
import type { ComparedDocument } from "./compare-documents.js";
import { notReproducible } from "./evidence-of.js";
import type { Reproduction } from "./reproduce-bundle.js";

/** Maximum number of documents and of fields listed in an error. */
const namedFields = 3;

/**
 * The reproduction that an approver states after reproducing the claim of this manifest. @throws {SluiceError}
 * NOT_REPRODUCIBLE
 */
export function statedReproduction(
  predicate: Manifest,
  from: ReproductionSource,
  platform: StatedReproduction["platform"],
): StatedReproduction {
  const { calibration, evaluation } = claimDigests(predicate);
  if (evaluation === null) throw notReproducible("the manifest names no evaluation among its evidence, expected one");
  return { from, calibration_sha256: calibration as Sha256, evaluation_sha256: evaluation as Sha256, platform };
}

/** Refuses a claim that differs. @throws {SluiceError} REPRODUCTION_DIFFERS */
export function requireReproduced({ bundle_id: bundleId, compared, from, decisions, equal }: Reproduction): void {
  if (equal) return;
  const differing = compared.filter((one) => !one.equal);
  const effect = `${decisions.changed.length} of ${decisions.records} certification records get a different decision`;
  const message = `the claim of bundle ${shortId(bundleId)}, derived from its ${from}, differs from the signed one: ${differing.map(fieldsText).join("; ")}; ${effect}`;
  throw new SluiceError("REPRODUCTION_DIFFERS", message, {
    hint: say`Nothing was signed. For every field and its effect, run: ${command`sluice reproduce ${shortId(bundleId)} --from ${from}`}`,
    details: { documents: differing.map(({ name }) => name), fields: differing.flatMap(fieldPaths) },
  });
}

const fieldPaths = ({ name, differences }: ComparedDocument): readonly string[] =>
  differences.map(({ path }) => `${name} ${path}`);

function fieldsText({ name, differences }: ComparedDocument): string {
  const more = differences.length - namedFields;
  const paths = differences.slice(0, namedFields).map(({ path }) => path);
  return `${name} in ${paths.join(", ")}${more > 0 ? ` and ${counted(more, "more field")}` : ""}`;
}
