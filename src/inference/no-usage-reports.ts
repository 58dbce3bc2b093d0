/**
 * Switches off the usage reports that ONNX Runtime 1.29 and later sends to its maker: without this it writes a device id
 * into the home folder when its library is loaded, and uploads what it ran. The library reads the environment of the
 * process, of which a worker has only a copy; so the thread that starts workers calls this before it starts one.
 */
export function switchOffUsageReports(): void {
  process.env["ORT_DISABLE_TELEMETRY"] = "1";
}
