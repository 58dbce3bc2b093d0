import type { JobAnswer, FromWorker } from "./protocol.js";

/** Time for which an answer may wait for the next ones, milliseconds: longer runs answer one by one. */
const longestWaitMs = 0.5;

/**
 * Sends the answers of short runs in one message, because a message costs more than such a run. An answer that is there
 * never waits for longer than `longestWaitMs` and one further run of the same model.
 */
export class AnswersTogether {
  private readonly reply: (message: FromWorker) => void;
  private readonly now: () => number;
  private answers: JobAnswer[] = [];
  private lastSent: number;

  constructor(reply: (message: FromWorker) => void, now: () => number) {
    this.reply = reply;
    this.now = now;
    this.lastSent = now();
  }

  add(answer: JobAnswer): void {
    this.answers.push(answer);
    if (this.now() - this.lastSent >= longestWaitMs) this.send();
  }

  /** Sends what waits. */
  send(): void {
    this.lastSent = this.now();
    if (this.answers.length === 0) return;
    this.reply({ kind: "answered", answers: this.answers });
    this.answers = [];
  }
}
