import { Parser } from "saxen";

/** An element is named without its namespace prefix; the values of its attributes are decoded. */
export interface XmlHandlers {
  readonly open?: (name: string, attribute: (name: string) => string | undefined) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Reads XML in document order, in time linear in its length; "" has no elements. @throws {Error} not well-formed */
export function readXml(xml: string, { open, close, text }: XmlHandlers): void {
  if (xml === "") return;
  const parser = new Parser();
  const refuse = (error: Error): never => {
    throw error;
  };
  parser.on("error", refuse).on("warn", refuse);
  parser.on("openTag", (name, attributes) =>
    open?.(localName(name), (wanted) => {
      const all = attributes();
      const key =
        all === false ? undefined : Object.keys(all).find((own) => own === wanted || localName(own) === wanted);
      return all === false || key === undefined ? undefined : decodedXml(all[key] ?? "");
    }),
  );
  parser.on("closeTag", (name) => close?.(localName(name)));
  parser.on("text", (value) => text?.(decodedXml(value)));
  parser.on("cdata", (value) => text?.(value));
  parser.parse(xml);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const entities: Readonly<Record<string, string>> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const highestCodePoint = 0x10ffff;

/** Replaces character references and the entities of XML and of HTML's space; others stay as they are. */
export const decodedXml = (text: string): string =>
  text.includes("&")
    ? text.replace(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi,
        (all, decimal?: string, hex?: string, name = "") => {
          if (name !== "") return entities[String(name).toLowerCase()] ?? all;
          const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
          return code <= highestCodePoint ? String.fromCodePoint(code) : all;
        },
      )
    : text;
