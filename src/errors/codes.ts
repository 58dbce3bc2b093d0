/** What a caller can do about an error decides its exit code and its HTTP status. */
export interface ErrorCodeEntry {
  readonly area: "usage" | "input" | "data" | "model" | "calibration" | "signing" | "history" | "serving" | "internal";
  /** Exit code of the command line: 1 failure, 2 usage, 3 gate, 4 integrity, 5 example errors, 130 interrupted. */
  readonly exitCode: 1 | 2 | 3 | 4 | 5 | 130;
  /** Status when the error ends an HTTP request. */
  readonly httpStatus: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 500 | 503;
  readonly meaning: string;
}

const entry = (
  area: ErrorCodeEntry["area"],
  exitCode: ErrorCodeEntry["exitCode"],
  httpStatus: ErrorCodeEntry["httpStatus"],
  meaning: string,
): ErrorCodeEntry => ({ area, exitCode, httpStatus, meaning });

/** The closed table of error codes. Every code is documented in docs/errors.md and used at least once. */
export const errorCodes = {
  USAGE: entry("usage", 2, 400, "The command line is not valid."),
  FILE_NOT_FOUND: entry("input", 2, 500, "A named file or folder does not exist."),
  FILE_EXISTS: entry("input", 2, 500, "A file or folder that would be written exists already."),
  READ_FAILED: entry("input", 1, 500, "A file exists but cannot be read."),
  WRITE_FAILED: entry("input", 1, 500, "A file cannot be written."),
  SYNTAX_INVALID: entry("input", 2, 500, "A document is not well-formed YAML, JSON, JSONL or CSV."),
  SCHEMA_INVALID: entry("input", 2, 422, "A document does not have the required fields."),
  TOO_LARGE: entry("input", 2, 413, "A document is larger than its limit."),

  CATALOG_INVALID: entry("data", 2, 500, "A catalog breaks a rule that its schema cannot express."),
  CATALOG_NOT_PRODUCTION: entry("data", 4, 500, "A catalog lacks what production needs."),
  POLICY_INVALID: entry("data", 2, 500, "A policy breaks a rule that its schema cannot express."),
  DATASET_EMPTY: entry("data", 2, 500, "A data set has no rows."),
  DATASET_INVALID: entry("data", 2, 500, "Rows of a data set contradict each other or the catalog."),
  DATASET_LEAKAGE: entry("data", 3, 500, "The audit of a data set found more than its limits allow."),
  SPLIT_TOO_SMALL: entry("data", 2, 500, "There are too few workflows or groups for the requested folds."),
  SPLIT_MISMATCH: entry("data", 4, 500, "A split belongs to another data set or catalog."),

  MODEL_INVALID: entry("model", 2, 500, "A model directory is incomplete or contradicts itself."),
  MODEL_RUN_FAILED: entry("model", 1, 500, "A model failed, or returned a malformed output."),
  FIT_FAILED: entry("model", 1, 500, "A model could not be fitted."),
  BACKEND_OVERLOADED: entry("serving", 1, 503, "The inference queue is full."),
  REQUEST_CANCELLED: entry("serving", 1, 503, "Nobody waits for the answer any more."),
  DEADLINE_EXCEEDED: entry("serving", 1, 503, "A deadline passed before the answer was ready."),

  STATS_DOMAIN: entry("internal", 1, 500, "An argument of a numeric function is outside its domain."),
  EXAMPLE_ERRORS: entry("data", 5, 500, "Too many requests of a run failed to be scored."),
  CALIBRATION_INVALID: entry("calibration", 2, 500, "A calibration contradicts itself."),
  FOLDS_OVERLAP: entry("calibration", 2, 500, "Two folds share a workflow or a group."),
  GATE_NOT_MET: entry("calibration", 3, 500, "A required gate was not met."),

  TOO_DEEP: entry("signing", 4, 500, "A signed document is nested too deeply."),
  BAD_UTF8: entry("signing", 4, 500, "A signed document is not valid UTF-8."),
  BAD_BASE64: entry("signing", 4, 500, "A value is not canonical base64."),
  NOT_CANONICAL: entry("signing", 4, 500, "A signed document is not in canonical form."),
  NOT_NFC: entry("signing", 4, 500, "A signed document holds text that is not in Unicode NFC."),
  ENVELOPE_INVALID: entry("signing", 4, 500, "A signature envelope is malformed."),
  TOO_MANY_SIGNATURES: entry("signing", 4, 500, "An envelope holds more signatures than are ever tried."),
  PAYLOAD_TYPE: entry("signing", 4, 500, "An envelope carries another payload type than expected."),
  UNKNOWN_PREDICATE: entry("signing", 4, 500, "A signed statement is of another kind than expected."),
  SIGNATURE_INVALID: entry("signing", 4, 500, "No trusted key made this signature."),
  THRESHOLD_NOT_MET: entry("signing", 4, 500, "Too few distinct people approved the bundle."),
  SELF_APPROVAL: entry("signing", 4, 500, "The producer of a bundle cannot approve it."),
  REJECTED_BY_APPROVER: entry("signing", 4, 500, "An approver rejected the bundle."),
  WRONG_BUNDLE: entry("signing", 4, 500, "An approval names another bundle."),
  WRONG_ENVIRONMENT: entry("signing", 4, 500, "An approval names another environment."),
  ROLE_MISMATCH: entry("signing", 4, 500, "A key signed a statement that its role does not allow."),
  REVOKED: entry("signing", 4, 503, "A bundle, approval, artifact or key was revoked."),
  REVOCATIONS_STALE: entry("signing", 4, 503, "The required revocation list is missing or past its next update."),
  REVOCATIONS_ROLLBACK: entry("signing", 4, 503, "A revocation list is older than one that was seen."),
  ROLLBACK_BELOW_FLOOR: entry("signing", 4, 503, "A release is below the lowest one that may still run."),
  COUNTER_CONFLICT: entry("signing", 4, 503, "Two bundles have the same release number."),
  CLOCK_ROLLBACK: entry("signing", 4, 503, "The clock shows a time before one that was seen already."),
  EXPIRED: entry("signing", 4, 503, "A signed document is past its end date."),
  NOT_YET_VALID: entry("signing", 4, 503, "A signed document is not valid yet."),
  VALIDITY_TOO_LONG: entry("signing", 4, 500, "An approval is valid for longer than the trust policy allows."),
  VALIDITY_ORDER: entry("signing", 4, 500, "A validity ends before it begins."),
  TRUST_POLICY_INVALID: entry("signing", 4, 500, "A trust policy contradicts itself."),
  TRUST_CHAIN_GAP: entry("signing", 4, 500, "A trust policy does not follow the one that is in force."),
  TRUST_ROLLBACK: entry("signing", 4, 503, "A trust policy is older than the one that is or was in force."),
  TRUST_THRESHOLD: entry("signing", 4, 500, "Too few roots of the old or the new trust policy signed it."),
  KEY_INVALID: entry("signing", 4, 500, "A key is malformed or of another kind than Ed25519."),
  KEY_WEAK: entry("signing", 4, 500, "A public key has small order or is not canonically encoded."),
  KEY_IS_PRIVATE: entry("signing", 4, 500, "A private key was given where a public key belongs."),
  KEY_FILE_MODE: entry("signing", 4, 500, "A private key file can be read by other users."),
  PASSPHRASE_WRONG: entry("signing", 4, 500, "The passphrase is wrong, or the key file is damaged."),
  PASSPHRASE_MISSING: entry("signing", 2, 500, "A passphrase is needed and none was given."),
  ARCHIVE_REFUSED: entry("signing", 4, 500, "An archive holds anything but the files of a bundle in their one form."),
  BUNDLE_INVALID: entry("signing", 4, 500, "The index of a bundle is malformed."),
  HASH_MISMATCH: entry("signing", 4, 503, "A file is not the one that was signed."),
  FILE_MISSING: entry("signing", 4, 503, "A signed file is missing."),
  FILE_EXTRA: entry("signing", 4, 503, "A file is present that nobody signed."),
  FILE_TYPE_REFUSED: entry("signing", 4, 500, "A bundle holds a link or a special file."),
  PATH_REFUSED: entry("signing", 4, 500, "A bundle holds a file name that is not allowed."),
  FILE_CHANGED: entry("signing", 4, 503, "A file changed while it was being read."),
  LIMIT_EXCEEDED: entry("signing", 4, 500, "A bundle has more or larger files than allowed."),
  IDENTITY_MISMATCH: entry("signing", 4, 503, "Running values differ from the signed manifest."),
  WARMUP_FAILED: entry("serving", 4, 503, "The index did not warm up, or golden decisions differ."),

  DB_NOT_OURS: entry("history", 4, 500, "The file is not a Sluice history."),
  DB_TOO_NEW: entry("history", 4, 500, "The history was written by a newer Sluice."),
  SCHEMA_TAMPERED: entry("history", 4, 500, "Tables or triggers of the history were changed."),
  ENTRY_TAMPERED: entry("history", 4, 500, "An entry of the history was changed."),
  RECORD_NOT_FOUND: entry("history", 2, 500, "The history has no such record."),
  RECORD_AMBIGUOUS: entry("history", 2, 500, "An id prefix matches several records."),
  DB_BUSY: entry("history", 1, 503, "Another process holds the history for too long."),
  DB_FULL: entry("history", 1, 500, "The disk is full; nothing was written."),

  AUTHORIZATION_DENIED: entry("serving", 4, 403, "The authorizer denied the caller."),
  AUTHORIZATION_FAILED: entry("serving", 4, 500, "The authorizer failed or returned an invalid list."),
  CATALOG_VERSION_MISMATCH: entry("serving", 4, 409, "The request names another catalog version."),
  REQUEST_TOO_LARGE: entry("serving", 4, 413, "The request body is larger than the limit."),
  REQUEST_INVALID: entry("serving", 4, 422, "The request body does not satisfy the schema."),
  MEDIA_TYPE_UNSUPPORTED: entry("serving", 4, 415, "The request body is not JSON."),
  HOST_NOT_TRUSTED: entry("serving", 4, 400, "The Host header is not on the list of trusted hosts."),
  REQUEST_MALFORMED: entry("serving", 4, 400, "The request is not valid HTTP."),
  NOT_FOUND: entry("serving", 4, 404, "There is no such route."),
  METHOD_NOT_ALLOWED: entry("serving", 4, 405, "The route exists, but not for this method."),
  PRODUCTION_CONFIGURATION: entry("serving", 2, 500, "A production rule of the configuration is not met."),
  PORT_IN_USE: entry("serving", 2, 500, "The port is taken by another process."),
  GENERATION_STALE: entry("serving", 4, 409, "The active bundle has another generation than expected."),
  MODE_CHANGE: entry("serving", 4, 409, "A replacement would change the runtime mode."),

  INTERRUPTED: entry("usage", 130, 503, "The command was interrupted; finished work is kept."),
  INTERNAL: entry("internal", 1, 500, "An unexpected failure; a fault of Sluice."),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
