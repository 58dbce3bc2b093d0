import type { ErrorCode } from "../base/error-codes.js";
import { SluiceError } from "../base/error.js";
import { type FileMark, isAsRead, readRevocationFile } from "./revocation-file.js";
import { identityOfList, type ListIdentity } from "./verify/revocations.js";
import type { VerifiedBundle } from "./verify/verify-bundle.js";
import { judgeInThread, judgeUnderSuccessorInThread } from "./verify/verification-thread.js";

export interface RevocationWatchOptions {
  readonly path: string;
  /** State of the file when the bundle was verified with it. */
  readonly mark: FileMark;
  readonly verified: Pick<VerifiedBundle, "signed" | "question" | "expiresAt">;
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
  #endsAt: number;
  #refusal: string | null = null;
  #reading: Promise<void> | null = null;

  constructor(options: RevocationWatchOptions) {
    this.#options = options;
    this.#verified = options.verified;
    this.#mark = options.mark;
    this.#revocations = options.verified.question.revocations;
    this.#endsAt = options.verified.expiresAt.getTime();
  }

  /** When the bundle expires under the latest list. */
  endsAt(): Date {
    return new Date(this.#endsAt);
  }

  /**
   * Adopts approvals that were added after the bundle was loaded, judged by the current list.
   * @param verified  the same bundle, verified again
   */
  async renew(verified: RevocationWatchOptions["verified"]): Promise<void> {
    const revocations = this.#revocations;
    const question = { ...verified.question, revocations, now: this.#options.clock() };
    const endsAt = await judgeInThread(verified.signed, question);
    if (revocations !== this.#revocations) return this.renew(verified);
    if (endsAt === null) return;
    this.#verified = verified;
    this.#endsAt = endsAt;
    if (this.#refusal !== null) this.#mark = unread;
  }

  /** Reasons why the bundle must not serve; empty if it may. */
  problems(): readonly string[] {
    if (!isAsRead(this.#options.path, this.#mark)) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      return [this.#refusal ?? "the revocation list was changed and is being read"];
    }
    if (this.#refusal !== null) return [this.#refusal];
    if (this.#options.clock().getTime() < this.#endsAt) return [];
    return ["the approvals of the bundle, or its revocation list, have expired"];
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
      const { revocations, endsAt, refusal } = found;
      this.#revocations = revocations;
      onList?.(identityOfList(revocations.predicate));
      // If approvals were adopted meanwhile, the next check judges them by this list.
      if (verified !== this.#verified) return;
      this.#endsAt = endsAt ?? this.#endsAt;
      this.#refusal = refusal === null ? null : refusalBy(refusal);
    } catch (thrown) {
      const code = thrown instanceof SluiceError ? thrown.code : "INTERNAL";
      this.#refusal = refusalBy(code);
    }
    this.#mark = mark;
  }
}

const refusalBy = (code: ErrorCode): string => `the revocation list refuses the bundle (${code})`;
