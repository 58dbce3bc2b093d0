import * as assert from "uvu/assert";
import type { ErrorCode } from "../../src/base/error-codes.js";
import { SluiceError } from "../../src/base/error.js";

function expectCode(thrown: unknown, code: ErrorCode): SluiceError {
  if (!(thrown instanceof SluiceError)) throw thrown;
  assert.is(thrown.code, code);
  return thrown;
}

/** Asserts that a promise rejects with a SluiceError of this code, and returns the error. */
export async function rejects(promise: Promise<unknown>, code: ErrorCode): Promise<SluiceError> {
  const outcome = await promise.then(
    () => ({ thrown: false as const }),
    (error: unknown) => ({ thrown: true as const, error }),
  );
  if (!outcome.thrown) assert.unreachable(`expected ${code}, but the promise resolved`);
  return expectCode(outcome.thrown ? outcome.error : undefined, code);
}

/** Asserts that a function throws a SluiceError of this code, and returns the error. */
export function throws(run: () => unknown, code: ErrorCode): SluiceError {
  try {
    run();
  } catch (error) {
    return expectCode(error, code);
  }
  return assert.unreachable(`expected ${code}, but nothing was thrown`) as never;
}
