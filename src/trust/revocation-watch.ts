import type { ErrorCode } from "../base/error-codes.js";
import { SluiceError } from "../base/error.js";
import { type FileMark, isAsRead, readRevocationFile } from "./revocation-file.js";
import { identityOfList, type ListIdentity } from "./verify/revocations.js";
import type { VerifiedBundle } from "./verify/verify-bundle.js";
import { type BundleEnd, expiredText } from "./verify/verify-signed.js";
import { judgeInThread, judgeUnderSuccessorInThread } from "./verify/verification-thread.js";

export interface RevocationWatchOptions {
  readonly path: string;
  /** State of the file when the bundle was verified with it. */
  readonly mark: FileMark;
  readonly verified: Pick<VerifiedBundle, "signed" | "question" | "end">;
  readonly clock: () => Date;
  /** Called with each list that was verified; must not throw. */
  readonly onList?: ((list: ListIdentity) => void) | undefined;
}

/** Mark that matches no file, so that the next check reads the list again. */
const unread: FileMark = { ino: -1n, size: -1n, mtimeNs: -1n, ctimeNs: -1n };

/**
 * Applies the newest revocation list to a bundle that serves. Each check takes one stat; a changed file is read in the
 * background. Until the new list is known to allow the bundle, the bundle is not ready.
 */
export class RevocationWatch {
  readonly #options: RevocationWatchOptions;
  #verified: RevocationWatchOptions["verified"];
  #mark: FileMark;
  #revocations: VerifiedBundle["question"]["revocations"];
  #end: BundleEnd;
  #refusal: string | null = null;
  #reading: Promise<void> | null = null;

  constructor(options: RevocationWatchOptions) {
    this.#options = options;
    this.#verified = options.verified;
    this.#mark = options.mark;
    this.#revocations = options.verified.question.revocations;
    this.#end = options.verified.end;
  }

  /** When the bundle expires under the latest list. */
  end(): BundleEnd {
    return this.#end;
  }

  /**
   * Adopts approvals that were added after the bundle was loaded, judged by the current list.
   * @param verified  the same bundle, verified again
   */
  async renew(verified: RevocationWatchOptions["verified"]): Promise<void> {
    const revocations = this.#revocations;
    const question = { ...verified.question, revocations, now: this.#options.clock() };
    const end = await judgeInThread(verified.signed, question);
    if (revocations !== this.#revocations) return this.renew(verified);
    if (end === null) return;
    this.#verified = verified;
    this.#end = end;
    if (this.#refusal !== null) this.#mark = unread;
  }

  /** Reasons why the bundle must not serve; empty if it may. */
  problems(): readonly string[] {
    if (!isAsRead(this.#options.path, this.#mark)) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      return [this.#refusal ?? "the revocation list was changed and is being read; try again in a moment"];
    }
    if (this.#refusal !== null) return [this.#refusal];
    return this.#options.clock().getTime() < this.#end.at ? [] : [expiredText[this.#end.of]];
  }

  /** Resolves when the read in progress has ended; null if there is none. */
  reading(): Promise<void> | null {
    return this.#reading;
  }

  /** The mark is set last, so that the bundle is not ready until the list has been judged. */
  async #read(): Promise<void> {
    const { path, clock, onList } = this.#options;
    let mark = this.#mark;
    try {
      const list = await readRevocationFile(path);
      mark = list.mark;
      const verified = this.#verified;
      const question = { ...verified.question, revocations: this.#revocations, now: clock() };
      const found = await judgeUnderSuccessorInThread(verified.signed, question, list.bytes);
      const { revocations, end, refusal } = found;
      this.#revocations = revocations;
      onList?.(identityOfList(revocations.predicate));
      // If approvals were adopted meanwhile, the next check judges them by this list.
      if (verified !== this.#verified) return;
      this.#end = end ?? this.#end;
      this.#refusal = refusal === null ? null : `the revocation list refuses the bundle (${refusal})`;
    } catch (thrown) {
      const code = thrown instanceof SluiceError ? thrown.code : "INTERNAL";
      this.#refusal = unusable(code, path);
    }
    this.#mark = mark;
  }
}

/** Why no list is in force: nothing is wrong with the bundle, but nobody knows whether it was revoked. */
const unusable = (code: ErrorCode, path: string): string =>
  code === "FILE_NOT_FOUND"
    ? `the revocation list ${path} is missing`
    : `the revocation list ${path} cannot be used (${code})`;
