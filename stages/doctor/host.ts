/** Versions of the process that runs the command. */
export interface Host {
  /** Version of Node without a leading "v". */
  readonly node: string;
  /** Version of the native module interface, e.g. "115". */
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
}
