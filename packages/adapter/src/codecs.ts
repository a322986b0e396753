/**
 * Converts a value between the declared format (ours) and the insurer's format (theirs). The functions of a codec are
 * pure and never throw: they return `undefined` for a value that cannot be converted, never a guess or a default. No
 * codec uses this machine's time zone.
 */
export interface Codec {
  /** Converts the declared value to the insurer's value. */
  readonly write: (ours: unknown) => unknown;
  /** Converts the insurer's value to the declared value. */
  readonly read: (theirs: unknown) => unknown;
  /** The declared value for a missing value or null of the insurer. Default: these cannot be converted. */
  readonly absent?: "null" | "nothing";
  /** The usual JSON type of the insurer's values; omitted if there are several types. */
  readonly type?: "string" | "number" | "boolean";
  /** Reports whether the table of the codec has a code of the insurer. Only a codec of `codes` has this function. */
  readonly isListed?: (theirs: unknown) => boolean;
}

/** Returns a codec for a value that the insurer may omit. A missing value becomes null. */
export function nullable(codec: Codec): Codec {
  return { ...codec, absent: "null" };
}

/** Returns a codec for a value that may be missing on both sides. */
export function optional(codec: Codec): Codec {
  return { ...codec, absent: "nothing" };
}

/**
 * A text, such as a code, a name or a tax number. The codec removes the spaces with which an insurer pads a value, and
 * preserves leading zeros. It refuses a number, which has already lost its leading zeros.
 */
export const plainText: Codec = {
  type: "string",
  write: (ours) => (isString(ours) ? ours : undefined),
  read: (theirs) => (isString(theirs) && theirs.trim() !== "" ? theirs.trim() : undefined),
};

/**
 * Creates the codec of a decimal number that is a text on both sides. The declared text has a point: `"1234.50"`.
 * @param separator - the insurer's decimal separator
 * @param places - the decimals of the declared text. The insurer may write fewer decimals, or more if those are zeros,
 *   so that no value is rounded.
 * @param grouping - the insurer's separator of thousands, which is optional in its values
 */
export function decimalText(
  separator: "." | ",",
  places: number,
  grouping?: "." | "," | " ",
): Codec {
  return {
    type: "string",
    write(ours) {
      const plain = isString(ours) ? withDecimalPlaces(ours, places) : undefined;
      return plain?.replace(".", separator);
    },
    read(theirs) {
      if (!isString(theirs)) return undefined;
      const plain = plainDecimal(theirs.trim(), separator, grouping);
      return plain === undefined ? undefined : withDecimalPlaces(plain, places);
    },
  };
}

/** Creates a codec like `decimalText`, except that the declared value is a JSON number, as in a request. */
export function amountText(separator: "." | ",", places: number): Codec {
  const texts = decimalText(separator, places);
  return {
    type: "string",
    write: (ours) => (isExact(ours, places) ? texts.write(ours.toFixed(places)) : undefined),
    read(theirs) {
      const ours = texts.read(theirs);
      const number = isString(ours) ? Number(ours) : undefined;
      return isExact(number, places) ? number : undefined;
    },
  };
}

/** Creates a codec like `decimalText`, except that the insurer's value is a JSON number: `1234.5`. */
export function decimalNumber(places: number): Codec {
  return {
    type: "number",
    write(ours) {
      const number =
        isString(ours) && withDecimalPlaces(ours, places) !== undefined ? Number(ours) : undefined;
      return isExact(number, places) ? number : undefined;
    },
    read: (theirs) => (isExact(theirs, places) ? theirs.toFixed(places) : undefined),
  };
}

/** A whole number that the insurer writes as a string of digits, as in XML. Above 2⁵³, use `plainText`. */
export const wholeNumber: Codec = {
  type: "string",
  write: (ours) => (Number.isSafeInteger(ours) ? String(ours) : undefined),
  read(theirs) {
    const digits = isString(theirs) ? theirs.trim() : "";
    const number = /^-?\d{1,16}$/.test(digits) ? Number(digits) : undefined;
    return Number.isSafeInteger(number) ? number : undefined;
  },
};

/** Options of `codes` for an insurer's code that is not in the table. */
export interface UnknownCodes {
  /** The declared value for unknown codes of the insurer. Default: unknown codes cannot be converted. */
  readonly unknown?: string;
}

/**
 * Creates the codec of a code.
 * @param table - the declared codes by the insurer's codes. If several insurer's codes have the same declared code, the
 *   codec writes the first of them.
 */
export function codes(table: Readonly<Record<string, string>>, options: UnknownCodes = {}): Codec {
  const codeIn = (theirs: unknown): string | undefined => {
    const code = Number.isSafeInteger(theirs) ? String(theirs) : theirs;
    return isString(code) ? code.trim() : undefined;
  };
  return {
    write: (ours) => Object.keys(table).find((theirs) => table[theirs] === ours),
    read(theirs) {
      const code = codeIn(theirs);
      if (code === undefined) return undefined;
      return Object.hasOwn(table, code) ? table[code] : options.unknown;
    },
    isListed: (theirs) => Object.hasOwn(table, codeIn(theirs) ?? ""),
  };
}

/** Creates the codec of a boolean that the insurer writes as one of two texts. */
export function flag(yes: string, no: string): Codec {
  return {
    type: "string",
    write: (ours) => (ours === true ? yes : ours === false ? no : undefined),
    read(theirs) {
      const found = isString(theirs) ? theirs.trim() : theirs;
      return found === yes ? true : found === no ? false : undefined;
    },
  };
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Converts the insurer's decimal to a text with a point and without separators of thousands. */
function plainDecimal(
  written: string,
  separator: "." | ",",
  grouping: string | undefined,
): string | undefined {
  const point = separator === "." ? String.raw`\.` : ",";
  const group = grouping === undefined ? "" : `\\${grouping}`;
  const whole =
    grouping === undefined ? String.raw`\d+` : String.raw`(?:\d+|\d{1,3}(?:${group}\d{3})+)`;
  const [, sign = "", digits, decimals = ""] =
    new RegExp(`^(-?)(${whole})(?:${point}(\\d+))?$`).exec(written) ?? [];
  if (digits === undefined) return undefined;
  const ungrouped = grouping === undefined ? digits : digits.replaceAll(grouping, "");
  return `${sign}${ungrouped}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Returns a decimal with exactly `places` decimal places, or undefined if the decimal would be rounded. */
function withDecimalPlaces(written: string, places: number): string | undefined {
  const [, whole, decimals = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(written) ?? [];
  if (whole === undefined || !/^0*$/.test(decimals.slice(places))) return undefined;
  return places === 0 ? whole : `${whole}.${decimals.slice(0, places).padEnd(places, "0")}`;
}

/** Reports whether a number has at most `places` decimal places, and only digits that a double can represent. */
function isExact(value: unknown, places: number): value is number {
  return (
    typeof value === "number" &&
    Math.abs(value) < 1e15 / 10 ** places &&
    Number(value.toFixed(places)) === value
  );
}
