/**
 * Disables the usage reports of ONNX Runtime 1.29 and later. Otherwise the library writes a device id into the home
 * folder when it is loaded, and uploads usage data. It reads the environment of the process, which a worker only has a
 * copy of, so the thread that starts workers must call this first.
 */
export function switchOffUsageReports(): void {
  process.env["ORT_DISABLE_TELEMETRY"] = "1";
}
