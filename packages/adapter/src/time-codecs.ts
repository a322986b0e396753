import { type Codec, isString } from "./codecs.ts";

/**
 * Creates the codec of a calendar date, which is `YYYY-MM-DD` in the declaration.
 * @param pattern - the insurer's form, of `yyyy`, `MM` and `dd`: `dd/MM/yyyy`
 */
export function dateText(pattern: string): Codec {
  const parts = ["yyyy", "MM", "dd"];
  if (parts.some((part) => pattern.split(part).length !== 2))
    throw new TypeError(`The pattern ${pattern} must have yyyy, MM and dd once`);
  const literal = pattern.replaceAll(/[^a-zA-Z]/g, String.raw`\$&`);
  const form = new RegExp(
    `^${literal.replace("yyyy", String.raw`(?<year>\d{4})`).replace("MM", String.raw`(?<month>\d{2})`).replace("dd", String.raw`(?<day>\d{2})`)}$`,
  );
  return {
    type: "string",
    write(ours) {
      const [, year, month, day] = (isString(ours) && /^(\d{4})-(\d{2})-(\d{2})$/.exec(ours)) || [];
      if (year === undefined || month === undefined || day === undefined) return undefined;
      if (!isCalendarDay(year, month, day)) return undefined;
      return pattern.replace("yyyy", year).replace("MM", month).replace("dd", day);
    },
    read(theirs) {
      const { day, month, year } = (isString(theirs) && form.exec(theirs.trim())?.groups) || {};
      if (year === undefined || month === undefined || day === undefined) return undefined;
      return isCalendarDay(year, month, day) ? `${year}-${month}-${day}` : undefined;
    },
  };
}

/** An instant with its offset (RFC 3339). The declared value is in UTC, with milliseconds. */
export const instantText: Codec = {
  type: "string",
  write: (ours) => (isString(ours) && parseInstant(ours) !== undefined ? ours : undefined),
  read: (theirs) => (isString(theirs) ? parseInstant(theirs) : undefined),
};

/** Options of `localTimeText` for a time that occurs twice, in the hour in which the clocks are set back. */
export interface AmbiguousTimes {
  /** The instant for a time that occurs twice. Default: such a time cannot be converted. */
  readonly ambiguous?: "earlier" | "later";
}

/**
 * Creates the codec of an instant that the insurer writes as a local time without an offset. The declared value is RFC
 * 3339 in UTC. A time that does not exist, because the clocks were set forward, cannot be converted. An instant that
 * the insurer's text cannot express exactly cannot be converted either: the codec never rounds to seconds or minutes.
 * @param pattern - the insurer's form, of `yyyy`, `MM`, `dd`, `HH`, `mm` and optionally `ss`: `dd/MM/yyyy HH:mm:ss`
 * @param timeZone - the insurer's time zone, an IANA name: `Europe/Athens`
 * @throws RangeError for an unknown time zone
 */
export function localTimeText(
  pattern: string,
  timeZone: string,
  { ambiguous }: AmbiguousTimes = {},
): Codec {
  const parts = ["yyyy", "MM", "dd", "HH", "mm", "ss"];
  const counts = parts.map((part) => pattern.split(part).length - 1);
  if (counts.some((count, index) => count !== 1 && !(count === 0 && parts[index] === "ss")))
    throw new TypeError(
      `The pattern ${pattern} must have yyyy, MM, dd, HH and mm once, and ss at most once`,
    );
  const form = new RegExp(
    `^${pattern.replaceAll(/[^a-zA-Z]/g, String.raw`\$&`).replaceAll(/yyyy|MM|dd|HH|mm|ss/g, (part) => `(?<${part}>\\d{${part.length}})`)}$`,
  );
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  /** Returns the local time of an instant, as if it were UTC. */
  const localAt = (instant: number): number => {
    const found = Object.fromEntries(
      clock.formatToParts(instant).map(({ type, value }) => [type, value]),
    );
    const { day, hour, minute, month, second, year } = found;
    return Date.parse(
      `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}Z`,
    );
  };
  const read = (theirs: unknown): string | undefined => {
    const found = (isString(theirs) && form.exec(theirs.trim())?.groups) || {};
    const { dd = "", HH, MM = "", mm, ss = "00", yyyy = "" } = found;
    const local = isCalendarDay(yyyy, MM, dd)
      ? Date.parse(`${yyyy}-${MM}-${dd}T${HH}:${mm}:${ss}Z`)
      : Number.NaN;
    if (Number.isNaN(local) || HH === "24") return undefined;
    // The offsets one day earlier and one day later differ if the clocks change between these times.
    const offsets = [local - DAY_MS, local + DAY_MS].map((near) => localAt(near) - near);
    const instants = [...new Set(offsets.map((offset) => local - offset))]
      .filter((instant) => localAt(instant) === local)
      .toSorted((one, other) => one - other);
    const [instant] = ambiguous === "later" ? instants.toReversed() : instants;
    if (instant === undefined || (instants.length > 1 && ambiguous === undefined)) return undefined;
    return new Date(instant).toISOString();
  };
  return {
    type: "string",
    read,
    write(ours) {
      const instant = isString(ours) ? parseInstant(ours) : undefined;
      if (instant === undefined) return undefined;
      const [, yyyy = "", MM = "", dd = "", HH = "", mm = "", ss = ""] =
        /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(
          new Date(localAt(Date.parse(instant))).toISOString(),
        ) ?? [];
      const values: Readonly<Record<string, string>> = { yyyy, MM, dd, HH, mm, ss };
      const written = pattern.replaceAll(/yyyy|MM|dd|HH|mm|ss/g, (part) => values[part] ?? part);
      return read(written) === instant ? written : undefined;
    },
  };
}

const DAY_MS = 86_400_000;

/** Reports whether the calendar has this day. */
function isCalendarDay(year: string, month: string, day: string): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return d >= 1 && d <= (lengths[m - 1] ?? 0);
}

function parseInstant(written: string): string | undefined {
  const [, year = "", month = "", day = ""] =
    /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.exec(
      written.trim(),
    ) ?? [];
  // The text has an offset, so this machine's time zone has no effect.
  const milliseconds = isCalendarDay(year, month, day) ? Date.parse(written.trim()) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}
