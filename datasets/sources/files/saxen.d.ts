/** The used part of saxen, which has no types of its own. */
declare module "saxen" {
  export class Parser {
    on(event: "openTag", handle: (name: string, attributes: () => Record<string, string> | false) => void): this;
    on(event: "closeTag", handle: (name: string) => void): this;
    on(event: "text" | "cdata", handle: (text: string) => void): this;
    on(event: "error" | "warn", handle: (error: Error) => void): this;
    parse(xml: string): Error | null;
  }
}
