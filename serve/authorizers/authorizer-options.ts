/** How a deployment grants workflows to callers. */
export type AuthorizerOptions =
  /** Nothing is configured; a production server then refuses to start. */
  | { readonly kind: "none" }
  /** Every workflow, for callers on this machine only. */
  | { readonly kind: "local" }
  /** JavaScript file whose default export is the authorizer. */
  | { readonly kind: "module"; readonly file: string }
  /** The caller's bearer token, verified by this server. */
  | {
      readonly kind: "token";
      /** File or URL of a JSON Web Key Set. */
      readonly keys: string;
      readonly issuer: string;
      readonly audience: string;
      /** Grant policy file. */
      readonly policy: string;
    }
  /** Headers written by a proxy in front of the server. */
  | {
      readonly kind: "proxy";
      /** Header names; the first one identifies the caller and is required. */
      readonly headers: readonly string[];
      /** Addresses or CIDR ranges of the proxies. */
      readonly addresses: readonly string[];
      /** Grant policy file. */
      readonly policy: string;
    };
