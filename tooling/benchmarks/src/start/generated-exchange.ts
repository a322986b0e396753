/** A request of a usual size: a dozen fields in three objects. */
export const body: Readonly<Record<string, object>> = {
  period: { startDate: "2026-12-01", endDate: "2027-12-01" },
  holder: { afm: "111111111", fullName: "Aaaa Aaaa", dateOfBirth: "2026-01-15", city: "Aaaa" },
  cover: { code: "BASIC", sum: 10_000.5, years: 5 },
};

/** What the insurer answers to it. */
export const answer: Readonly<Record<string, unknown>> = {
  id: "X-1",
  status: "RECEIVED",
  createdAt: "2026-01-15T10:00:00Z",
  amounts: { gross: "120.00", net: "100.00", currency: "EUR" },
  covers: [{ code: "A", name: "Aaaa", sum: 1, isIncluded: true }],
};
