import { SluiceError } from "../../../src/errors/error.js";
import type { CommandContext } from "../../context.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { SummaryWithDigest } from "../../../workbench/release/release-summary.js";
import { type ShownPage, summaryLines } from "../manifest/summary-lines.js";

/** How many characters of the bundle id a person types to agree. */
const typedCharacters = 8;

/**
 * Shows the release page in words, on stderr, and lets a person at the terminal agree to it.
 * `agreed`: the caller agreed on the command line; the summary is then a note.
 * @throws {SluiceError} USAGE  nobody can be asked, or something else was typed
 */
export async function confirmRelease(
  context: Pick<CommandContext, "askSecret" | "note">,
  release: SummaryWithDigest,
  { agreed, shown }: { readonly agreed: boolean; readonly shown: ShownPage },
): Promise<void> {
  const lines = summaryLines(release, shown);
  if (agreed) return lines.forEach(context.note);
  const bundle = release.summary.bundle_id;
  if (context.askSecret === null) {
    throw new SluiceError("USAGE", "no terminal: the release cannot be confirmed", {
      hint: `Read it with: sluice manifest show --bundle ${shortId(bundle)}; then add --yes, preferably with --summary SHA256.`,
    });
  }
  const question = `To sign, type the first ${typedCharacters} characters of the bundle id (not shown): `;
  const typed = await context.askSecret([...lines, "", question].join("\n"));
  if (typed.trim().toLowerCase() === bundle.slice(0, typedCharacters)) return;
  throw new SluiceError("USAGE", "the input is not the beginning of the bundle id; nothing was signed", {
    hint: "Run the command again.",
  });
}
