import { expect, it } from "vitest";
import { maskedValues } from "../src/masking.ts";

it.each<[unknown, string]>([
  ["123456789", "1••••••••"],
  ["Ελένη Παπαδοπούλου", "Ε••••••••"],
  ["ab", "a•"],
  ["M", "•"],
  ["", "•"],
  ["🚗🚗", "🚗•"],
  [1985, "1•••"],
  [7, "•"],
  [true, "•"],
  [false, "•"],
  [null, "•"],
])("shows the value %j as %s", (value, shown) => {
  expect(maskedValues({ value })).toEqual({ "/value": shown });
});

it("shows names whole, wherever a value stands", () => {
  const value = { body: { drivers: [{ "a/b": "xyz" }, { born: "2001-01-01" }], none: {} } };
  expect(maskedValues(value)).toEqual({
    "/body/drivers/0/a~1b": "x••",
    "/body/drivers/1/born": "2••••••••",
  });
});
