/** An element of an XML document without text. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
}

const tag = /^<(\/?)([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.-]*="[^<"]*")*)\s*(\/?)>/;
const attributePattern = /\s+([A-Za-z_][\w.-]*)="([^<"]*)"/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const refuse = (why: string): never => {
  throw new Error(`not well-formed: ${why}`);
};

function unescaped(text: string): string {
  if (/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)) return refuse("a forbidden character");
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const number = /^#(\d+)$/.exec(name)?.[1];
    if (!whole.endsWith(";")) return refuse("a lone ampersand");
    return number === undefined ? (entities[name] ?? refuse("an entity")) : String.fromCodePoint(Number(number));
  });
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(attributePattern)].map(
    ([, name = "", value = ""]) => [name, unescaped(value)] as const,
  );
  if (new Set(found.map(([name]) => name)).size !== found.length) return refuse("an attribute given twice");
  return Object.fromEntries(found);
}

/** Opens or closes an element; `open` lists those that are open, the root first. */
function takeTag(open: XmlElement[], [, closing, name = "", attributes = "", empty]: RegExpExecArray): void {
  if (closing === "/") {
    if (open.length < 2 || open.pop()?.name !== name) refuse(`</${name}> closes nothing`);
    return;
  }
  const element: XmlElement = { name, attributes: attributesOf(attributes), children: [] };
  open.at(-1)?.children.push(element);
  if (empty !== "/") open.push(element);
}

/** Reads a document of elements and attributes strictly. @throws {Error} not well-formed, or with text */
export function parseXml(xml: string): XmlElement {
  const root: XmlElement = { name: "", attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "").trimStart();
  while (rest !== "") {
    const match = tag.exec(rest) ?? refuse("a tag is expected");
    takeTag(open, match);
    rest = rest.slice(match[0].length).trimStart();
  }
  const [only, ...others] = root.children;
  if (only === undefined || others.length > 0 || open.length > 1) return refuse("one root is expected");
  return only;
}
