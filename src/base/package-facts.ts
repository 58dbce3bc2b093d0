import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Fields of package.json that the command line shows. */
export interface PackageFacts {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The folder of this package: the nearest ancestor with a package.json. */
export function packageFolder(from: string = import.meta.dirname): string {
  return existsSync(join(from, "package.json")) ? from : packageFolder(dirname(from));
}

export function packageFacts(): PackageFacts {
  return JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as PackageFacts;
}

export function toolVersion(): string {
  return packageFacts().version;
}
