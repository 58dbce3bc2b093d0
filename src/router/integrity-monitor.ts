import { relative } from "node:path";
import { bundleFilesUnchanged, touchedFiles, type FileDifference, type Recheck } from "../trust/recheck-files.js";
import { printable } from "../base/text.js";
import type { RevocationWatch } from "../trust/revocation-watch.js";
import type { BundleProblem } from "../trust/verify/problem.js";
import type { ReverifiedBundle } from "../trust/verify/verification-thread.js";
import { expiredText } from "../trust/verify/verify-signed.js";
import type { RunScope } from "../documents/run-scope.js";
import { toSluiceError } from "../base/error.js";
import type { ClockWatch } from "./clock-watch.js";

export interface IntegrityMonitorOptions {
  readonly verified: ReverifiedBundle;
  readonly verifyAgain: () => Promise<ReverifiedBundle>;
  /** Reads touched files again, and returns those whose content changed. */
  readonly recheck: (fileStats: ReverifiedBundle["fileStats"]) => Promise<Recheck>;
  /** Never runs backwards, so expired approvals stay expired. */
  readonly clock: () => Date;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Watches the deployment's revocation list; null if it has none. */
  readonly revocations: Pick<RevocationWatch, "end" | "problems" | "reading" | "renew"> | null;
  /** Detects that the clock was set back. */
  readonly clockWatch: Pick<ClockWatch, "problems">;
  /** The values that affect decisions as one text, recomputed at each call. */
  readonly decidingValues: () => string;
}

/** Initial pause before a failed verification is repeated; it doubles up to the maximum. Milliseconds. */
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** Pause after a failure before a different state of the files is verified, in milliseconds. */
const pauseAfterChangeMs = 1000;
/** Maximum number of changed files named in a problem. */
const namedFiles = 3;

/** What differed at the last check. */
interface Difference {
  readonly mark: string;
  readonly files: readonly FileDifference[];
}

interface Failure {
  readonly text: string;
  /** State of the files that was verified. */
  readonly mark: string;
  readonly count: number;
  /** Earliest time of the next verification, in monotonic milliseconds. */
  readonly retryAt: number;
}

/**
 * The check before every request; requests that arrive together share one. It covers the clock, expiry dates,
 * revocations, the values that affect decisions, and a stat of every file. A touched file is read again; the bundle is
 * not ready until its content is proven equal. Changed content triggers a verification of the whole bundle, one at a
 * time, with growing pauses after failures. Recovery is automatic, even from expired approvals once new ones are in the
 * folder.
 */
export class IntegrityMonitor {
  private readonly options: IntegrityMonitorOptions;
  private readonly decidingValuesAtStart: string;
  private fileStats: ReverifiedBundle["fileStats"];
  private end: ReverifiedBundle["end"];
  private rechecking: Promise<void> | null = null;
  /** The next integrity check, which has not started yet. */
  private nextScan: Promise<readonly string[]> | null = null;
  private verifying = false;
  private difference: Difference | null = null;
  private failure: Failure | null = null;

  constructor(options: IntegrityMonitorOptions) {
    this.options = options;
    this.fileStats = options.verified.fileStats;
    this.end = options.verified.end;
    this.decidingValuesAtStart = options.decidingValues();
  }

  /** When the approvals expire, as currently known: a watched revocation list is renewed while the bundle serves. */
  approvedUntil(): Date {
    return new Date(this.currentEnd().at);
  }

  private currentEnd(): ReverifiedBundle["end"] {
    return this.options.revocations?.end() ?? this.end;
  }

  /** Reasons why the bundle must not serve; empty if it may. */
  problems(): readonly string[] {
    const { clock, clockWatch, decidingValues, revocations } = this.options;
    const changes = this.changes();
    const moved = clockWatch.problems();
    if (moved.length > 0) return moved;
    const revoked = revocations?.problems() ?? [];
    if (revoked.length > 0) return revoked;
    const end = this.currentEnd();
    if (clock().getTime() >= end.at) return [expiredText[end.of]];
    if (decidingValues() !== this.decidingValuesAtStart) return ["thresholds or policy in memory were changed"];
    return changes;
  }

  /**
   * Like `problems`, checked after the call; requests that arrive before a check begins share it. Waits for files and
   * lists that are being read again, as far as the scope allows, but waits only once for an unreadable list.
   */
  async checked(scope: RunScope): Promise<readonly string[]> {
    let list: () => Promise<void> | null = () => this.options.revocations?.reading() ?? null;
    for (;;) {
      const problems = await this.nextLook();
      const files = this.rechecking;
      const pending = files ?? list();
      if (problems.length === 0 || pending === null || !(await endsWithin(pending, scope))) return problems;
      if (files === null) list = () => null;
    }
  }

  /** Starts once all requests that have arrived are waiting. */
  private nextLook(): Promise<readonly string[]> {
    this.nextScan ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.nextScan = null;
      return this.problems();
    });
    return this.nextScan;
  }

  private changes(): readonly string[] {
    if (bundleFilesUnchanged(this.fileStats)) {
      this.forget();
      return [];
    }
    const { paths, mark } = touchedFiles(this.fileStats);
    if (this.difference?.mark === mark) this.verify();
    else this.recheck(mark);
    const root = this.fileStats[0]?.path ?? "";
    const touched = paths.map((path): FileDifference => ({ path: relative(root, path), change: "changed" }));
    const files = this.difference?.mark === mark ? this.difference.files : touched;
    return [`files of the bundle were changed on disk: ${named(files.map(differenceText))}${this.verdict(mark)}`];
  }

  /** Result of the last verification; that of an earlier state of the files says nothing about this one. */
  private verdict(mark: string): string {
    if (this.failure === null) return "";
    return this.failure.mark === mark ? ` (${this.failure.text})` : " (being verified again)";
  }

  private forget(): void {
    this.difference = null;
    this.failure = null;
  }

  private recheck(mark: string): void {
    this.rechecking ??= this.options
      .recheck(this.fileStats)
      .then(
        ({ fileStats, differing }) => {
          if (differing.length > 0) return this.foundDifference(mark, differing);
          this.fileStats = fileStats;
          return this.forget();
        },
        () => this.foundDifference(mark, []),
      )
      .finally(() => {
        this.rechecking = null;
      });
  }

  private foundDifference(mark: string, files: readonly FileDifference[]): void {
    this.difference = { mark, files };
    const { failure } = this;
    if (failure !== null) {
      this.failure = { ...failure, retryAt: Math.min(failure.retryAt, this.options.now() + pauseAfterChangeMs) };
    }
    this.verify();
  }

  private verify(): void {
    if (this.verifying || this.options.now() < (this.failure?.retryAt ?? 0)) return;
    this.verifying = true;
    const mark = this.difference?.mark ?? "";
    this.options
      .verifyAgain()
      .then((again) => this.takeOver(again, mark))
      .catch((thrown: unknown) => this.failed(verdictOf(thrown), mark))
      .finally(() => {
        this.verifying = false;
      });
  }

  private async takeOver(again: ReverifiedBundle, mark: string): Promise<void> {
    if (again.bundleId !== this.options.verified.bundleId) {
      return this.failed("the folder contains another bundle", mark);
    }
    await this.options.revocations?.renew(again);
    this.fileStats = again.fileStats;
    this.end = again.end;
    this.forget();
  }

  private failed(text: string, mark: string): void {
    const count = (this.failure?.count ?? 0) + 1;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (count - 1));
    this.failure = { text, mark, count, retryAt: this.options.now() + pauseMs };
  }
}

function differenceText({ path, change }: FileDifference): string {
  const name = path === "" ? "the folder itself" : path;
  return change === "changed" ? name : `${name} is ${change}`;
}

/** The first names of a list, made safe to print. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, namedFiles).map(printable);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** Result of a verification, without local paths. */
function verdictOf(thrown: unknown): string {
  const { code, details } = toSluiceError(thrown);
  const problems = details?.["problems"] as readonly BundleProblem[] | undefined;
  if (problems === undefined) return code;
  return named(problems.map((problem) => `${problem.code} ${problem.file.startsWith("/") ? "" : problem.file}`.trim()));
}

/** Maximum delay of a Node timer in milliseconds; a timer with a longer delay fires immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for a promise that never rejects; false if the scope ends first. */
async function endsWithin(something: Promise<void>, { remainingMs, signal }: RunScope): Promise<boolean> {
  const leftMs = remainingMs();
  if (leftMs <= 0 || signal?.aborted === true) return false;
  return new Promise((resolve) => {
    const give = (answer: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(answer);
    };
    const onAbort = (): void => give(false);
    const timer = setTimeout(onAbort, Math.min(leftMs, longestTimerMs));
    signal?.addEventListener("abort", onAbort, { once: true });
    void something.then(() => give(true));
  });
}
