/** How a deployment grants workflows to callers. */
export type AuthorizerOptions =
  /** Nothing is configured; a production server does not start then. */
  | { readonly kind: "none" }
  /** Every workflow, for callers on this machine only. */
  | { readonly kind: "local" }
  /** JavaScript file whose default export is the authorizer. */
  | { readonly kind: "module"; readonly file: string }
  /** Bearer token of the caller, verified here. */
  | {
      readonly kind: "token";
      /** File or URL of a JSON Web Key Set. */
      readonly keys: string;
      readonly issuer: string;
      readonly audience: string;
      /** Grant policy file. */
      readonly policy: string;
    }
  /** Headers that a proxy in front writes. */
  | {
      readonly kind: "proxy";
      /** Header names; the first one names the caller and is required. */
      readonly headers: readonly string[];
      /** Addresses or CIDR ranges that requests may come from. */
      readonly addresses: readonly string[];
      /** Grant policy file. */
      readonly policy: string;
    };
