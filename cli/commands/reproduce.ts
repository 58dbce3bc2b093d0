import type { Reproduction } from "../../stages/reproduce/reproduce-bundle.js";
import type { WorkOf } from "../command.js";
import type { reproduceSpec } from "../specs/reproduce.js";
import { reproduceClaim } from "../../stages/reproduce.js";
import { counted } from "../../src/documents/number-text.js";
import type { ComparedDocument, TierThresholds } from "../../stages/reproduce/compare-documents.js";
import { fields } from "../table.js";

export const reproduce: WorkOf<typeof reproduceSpec> = async (context, args) => {
  const { platform, arch, node } = context.host;
  const found = await reproduceClaim(context, { ...args, platform: { platform, arch, node } });
  return {
    result: found,
    lines: reproductionLines(found),
    exitCode: found.equal ? 0 : 4,
    // The files have been compared with the manifest. Verifying its signer requires a trust policy.
    next: args.bundle?.kind === "file" ? [context.next("bundle", "verify", args.bundle.path)] : [],
  };
};

/** Maximum number of displayed differing fields per document; --json lists all. */
const shownFields = 20;

/** Maximum displayed length of a differing value, in characters. */
const shownCharacters = 60;

/** Output lines: what was compared, and the effect of any difference. */
function reproductionLines(found: Reproduction): readonly string[] {
  const { platform, signed_with: signedWith, compared, equal } = found;
  const source = { records: "the scored records", scores: "the dataset, scored again" }[found.from];
  const { arch, node, onnxruntime, tool } = platform;
  return [
    ...fields([
      ["bundle", found.bundle_id],
      ["from", source],
      ["on", `${platform.platform} ${arch}, Node ${node}, ONNX Runtime ${onnxruntime}, sluice ${tool}`],
      ["signed with", `ONNX Runtime ${signedWith.onnxruntime}, sluice ${signedWith.tool}`],
      ...compared.map((one): readonly [string, string] => [one.name, comparedText(one)]),
      ["verdict", equal ? "equal: the inputs reproduce the signed claim" : "DIFFERS from the signed claim"],
    ]),
    ...compared.flatMap(differenceLines),
    ...(equal ? [] : effectLines(found)),
  ];
}

const comparedText = ({ equal, signed_sha256: signedSha256, differences }: ComparedDocument): string =>
  equal ? `equal, ${signedSha256}` : `differs in ${counted(differences.length, "field")}`;

function differenceLines({ name, differences }: ComparedDocument): readonly string[] {
  if (differences.length === 0) return [];
  const more = differences.length - shownFields;
  return [
    "",
    `Fields of ${name} that differ`,
    ...differences
      .slice(0, shownFields)
      .map(({ path, signed, derived }) => `  ${path}: signed ${shown(signed)}, derived ${shown(derived)}`),
    ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
  ];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

function effectLines({ thresholds, decisions }: Reproduction): readonly string[] {
  return [
    "",
    "Effect",
    ...thresholds.map(({ tier, signed, derived }) => `  ${tier}: ${tierText({ tier, signed, derived })}`),
    `  ${decisions.changed.length} of ${decisions.records} certification records get a different decision`,
  ];
}

function tierText({ signed, derived }: TierThresholds): string {
  const [before, after] = [thresholdText(signed), thresholdText(derived)];
  return before === after ? `${before}, unchanged` : `signed ${before}, derived ${after}`;
}

const thresholdText = ({ confidence, margin }: TierThresholds["signed"]): string =>
  confidence === null ? "abstains" : `confidence ${confidence}, margin ${margin ?? 0}`;
