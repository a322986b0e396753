const calendar = new Intl.DateTimeFormat("en", {
  timeZone: "Europe/Athens",
  calendar: "gregory",
  numberingSystem: "latn",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});

/** Returns the date in Greece at an instant, `YYYY-MM-DD`. */
export function dayInGreece(now: Date): string {
  const parts = Object.fromEntries(
    calendar.formatToParts(now).map(({ type, value }) => [type, value]),
  );
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/**
 * Returns the age in whole years on a day; 0 before birth. In a common year, a person born on 29 February grows older
 * on 1 March.
 * @param dateOfBirth - `YYYY-MM-DD`
 * @param day - `YYYY-MM-DD`
 */
export function ageOn(dateOfBirth: string, day: string): number {
  const years = Number(day.slice(0, 4)) - Number(dateOfBirth.slice(0, 4));
  // The month and day, `MM-DD`, sort as text.
  const hadBirthday = day.slice(5) >= dateOfBirth.slice(5);
  return Math.max(0, hadBirthday ? years : years - 1);
}
