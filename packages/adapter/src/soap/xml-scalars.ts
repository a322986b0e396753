import { UnsendableError } from "../dialect.ts";

/**
 * The conversion of a text in XML to a declared value, and back. `text`: unchanged; `token`: without surrounding white
 * space; `integer`, `number` and `boolean`: as in JSON; `digits`: a 64-bit whole number as a string; `decimal`: a
 * decimal number as a string; `date`: without a time zone; `base64`: without white space; `anything`: content without a
 * schema.
 */
export type XmlScalar =
  | "text"
  | "token"
  | "integer"
  | "number"
  | "digits"
  | "decimal"
  | "boolean"
  | "date"
  | "base64"
  | "anything";

interface XmlTextForm {
  readonly as?: XmlScalar;
  /** True for a list in one text, separated by spaces. */
  readonly spaced?: true;
}

/** Matches a text that has only the characters of XML 1.0 (section 2.2). */
const XML_CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

export function xmlTextOf({ spaced }: XmlTextForm, value: unknown, place: string): string {
  const texts = (spaced === true && Array.isArray(value) ? value : [value]).map((one) => {
    const isScalar = typeof one === "string" || typeof one === "boolean" || Number.isFinite(one);
    const text = String(one);
    if (!isScalar || !XML_CHARACTERS.test(text)) throw new UnsendableError(place);
    if (spaced === true && /^$|\s/.test(text))
      throw new UnsendableError(
        place,
        "must not have an item with a space, which separates items at the insurer",
      );
    return text;
  });
  return texts.join(" ");
}

export function convertText(form: XmlTextForm, text: string): unknown {
  if (form.spaced !== true) return parseScalar(form.as, text);
  const items = text.split(/\s+/).filter((item) => item !== "");
  return items.map((item) => parseScalar(form.as, item));
}

/** Converts a text to a value. Returns the text itself if it cannot be converted. */
function parseScalar(as: XmlScalar | undefined, text: string): unknown {
  const trimmed = text.trim();
  switch (as) {
    case "token":
      return trimmed.replaceAll(/\s+/g, " ");
    case "integer": {
      const number = /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : undefined;
      // Adding 0 changes -0 to 0.
      return Number.isSafeInteger(number) ? Number(number) + 0 : trimmed;
    }
    case "number":
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
    case "digits":
      return /^[+-]?\d{1,40}$/.test(trimmed) ? String(BigInt(trimmed.replace(/^\+/, ""))) : trimmed;
    case "decimal":
      return usualDecimal(trimmed);
    case "boolean":
      return /^(true|1)$/.test(trimmed) ? true : /^(false|0)$/.test(trimmed) ? false : trimmed;
    case "date":
      return /^(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})?$/.exec(trimmed)?.[1] ?? trimmed;
    case "base64":
      return trimmed.replaceAll(/\s+/g, "");
    default:
      return text;
  }
}

/** Returns the usual form of a decimal number. XML Schema also allows `+1.5`, `.5` and `007`. `12.50` stays. */
function usualDecimal(text: string): string {
  const [, sign, whole = "", decimals] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (sign === undefined || (whole === "" && (decimals ?? "") === "")) return text;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  return `${sign === "-" ? "-" : ""}${digits}${decimals === undefined || decimals === "" ? "" : `.${decimals}`}`;
}
