/** Calendar days in one time zone. */
export type Days = ReturnType<typeof createDays>;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Maximum length of a day, even if clocks go back. */
const LONGEST_DAY_MS = 26 * HOUR_MS;

/**
 * Creates the calendar of a time zone of the IANA database. Days have 23 or 25 hours when clocks change.
 * @throws RangeError if the time zone does not exist
 */
export function createDays(timeZone: string) {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const offsets = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const read = (at: number): string => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return `${parts.get("year")?.padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}`;
  };
  // The last result is kept: nearly all queries are for one day, and formatting a date costs as much as a lookup call.
  let known = { day: "", from: 0, until: 0 };
  const endAfter = (at: number, day: string): number => {
    let [within, after] = [at, at + LONGEST_DAY_MS];
    while (after - within > 1) {
      const middle = Math.floor((within + after) / 2);
      if (read(middle) === day) within = middle;
      else after = middle;
    }
    return after;
  };
  const find = (at: number): typeof known => {
    if (at < known.from || at >= known.until) {
      const day = read(at);
      known = { day, from: at, until: endAfter(at, day) };
    }
    return known;
  };
  return {
    /** Returns the day of a time in milliseconds since 1970: `2026-11-22`. */
    dayOf: (at: number): string => find(at).day,
    /** Returns the end of the day of a time, in milliseconds since 1970. */
    endOf: (at: number): number => find(at).until,
    /** Returns the difference between local time and UTC at a time, in milliseconds. */
    offsetAt(at: number): number {
      // The text of the offset is `GMT`, or for example `GMT+02:00`.
      const [, sign = "+", hours = 0, minutes = 0] =
        /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(offsets.format(at)) ?? [];
      const offset = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
      return sign === "-" ? -offset : offset;
    },
  };
}

/** Returns the date that is `days` after the date `day`; if `days` is negative, the date before `day`. */
export function daysAfter(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}
