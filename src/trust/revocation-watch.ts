import type { ErrorCode } from "../base/error-codes.js";
import { SluiceError } from "../base/error.js";
import { type FileMark, isAsRead, readRevocationFile } from "./revocation-file.js";
import { identityOfList, type ListIdentity } from "./verify/revocations.js";
import type { VerifiedBundle } from "./verify/verify-bundle.js";
import { judgeInThread, judgeUnderSuccessorInThread } from "./verify/verification-thread.js";

export interface RevocationWatchOptions {
  readonly path: string;
  /** As the file was when the bundle was verified with it. */
  readonly mark: FileMark;
  readonly verified: Pick<VerifiedBundle, "signed" | "question" | "expiresAt">;
  readonly clock: () => Date;
  /** Receives each list that was verified; must not throw. */
  readonly onList?: ((list: ListIdentity) => void) | undefined;
}

/** The mark of no file: the list is read again at the next question. */
const unread: FileMark = { ino: -1n, size: -1n, mtimeNs: -1n, ctimeNs: -1n };

/**
 * Keeps a served bundle under the newest revocation list: one stat for each question, a changed file is read in the
 * background, and until the new list is known to allow the bundle, the bundle is not in order.
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
   * Takes over approvals that came after the bundle was loaded, judged by the list that is in force here.
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

  /** Reasons why the bundle must not serve now; empty when it may. */
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

  /** Settles when the running read has ended; null when none is running. */
  reading(): Promise<void> | null {
    return this.#reading;
  }

  /** The mark comes last: until the list is judged, the bundle is not in order. */
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
      // Approvals adopted meanwhile are judged by the list at the next check.
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
