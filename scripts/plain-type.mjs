// Writes a compiler type as a plain, read-only type: no aliases, no mapped or conditional types.
import ts from "typescript";

const isIdentifier = /^[A-Za-z_$][\w$]*$/;

/**
 * @returns the source text of a type; throws for a type without a plain form, such as a function
 */
export function plainType(checker, type, indent = "") {
  if (type.flags & ts.TypeFlags.Boolean) return "boolean";
  if (type.isUnion()) return unionOf(checker, type, indent);
  if (type.flags & ts.TypeFlags.Object) return objectOf(checker, type, indent);
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.TypeParameter | ts.TypeFlags.Conditional)) {
    throw new Error(`${checker.typeToString(type)} has no plain form`);
  }
  if (type.isIntersection())
    return isBranded(type) ? brandedOf(checker, type, indent) : objectOf(checker, type, indent);
  return checker.typeToString(type);
}

/** A branded string or number, such as `string & { readonly "is a sha256": true }`. */
const isBranded = (type) => type.types.some(({ flags }) => flags & (ts.TypeFlags.String | ts.TypeFlags.Number));
const brandedOf = (checker, type, indent) =>
  type.types.map((part) => plainType(checker, part, indent).replace(/\s+/g, " ")).join(" & ");

/** The compiler represents `boolean` as the union `true | false`; it is written as `boolean`. */
function unionOf(checker, type, indent) {
  // The `undefined` of an optional property is expressed by "?".
  const isMissing = (member) => (member.flags & ts.TypeFlags.Undefined) !== 0 && member !== checker.getUndefinedType();
  const members = type.types.filter((member) => !isMissing(member));
  const isBoolean = (member) => (member.flags & ts.TypeFlags.BooleanLiteral) !== 0;
  const booleans = members.filter(isBoolean);
  const rest = booleans.length === 2 ? members.filter((member) => !isBoolean(member)) : members;
  const texts = rest.map((member) => plainType(checker, member, indent));
  return [...texts, ...(booleans.length === 2 ? ["boolean"] : [])].join(" | ");
}

function objectOf(checker, type, indent) {
  if (checker.isTupleType(type)) {
    return `readonly [${checker
      .getTypeArguments(type)
      .map((item) => plainType(checker, item, indent))
      .join(", ")}]`;
  }
  if (checker.isArrayType(type)) return arrayOf(checker, checker.getTypeArguments(type)[0], indent);
  if (type.getCallSignatures().length > 0) throw new Error(`${checker.typeToString(type)} is a function`);
  const inner = `${indent}    `;
  const members = checker.getPropertiesOfType(type).map((property) => memberOf(checker, property, inner));
  for (const { keyType, type: value } of checker.getIndexInfosOfType(type)) {
    members.push(`${inner}readonly [key: ${checker.typeToString(keyType)}]: ${plainType(checker, value, inner)};`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join("\n")}\n${indent}}`;
}

function arrayOf(checker, item, indent) {
  const text = plainType(checker, item, indent);
  return `readonly ${item.isUnion() || item.isIntersection() || text.startsWith("readonly ") ? `(${text})` : text}[]`;
}

function memberOf(checker, property, indent) {
  const name = isIdentifier.test(property.name) ? property.name : JSON.stringify(property.name);
  const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
  return `${indent}readonly ${name}${optional}: ${plainType(checker, checker.getTypeOfSymbol(property), indent)};`;
}
