import type { Country, CountryZone } from "../schemas/country.ts";
import { countryRows } from "./country-rows.ts";

/** The 29 states of the Schengen area. All except Greece are in the zone EUROPE. */
const schengenStates: ReadonlySet<string> = new Set(
  "AT BE BG HR CZ DK EE FI FR DE GR HU IS IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE CH".split(
    " ",
  ),
);

/**
 * The other states and territories of Europe as travel insurers define it: with Cyprus, Türkiye, Russia and the
 * micro-states, without the Caucasus and without territories on other continents.
 */
const otherEurope: ReadonlySet<string> = new Set(
  "AL AD AX BA BY CY FO GB GG GI IE IM JE MC MD ME MK RS RU SJ SM TR UA VA".split(" "),
);

/** Every country of ISO 3166-1 with its zone, by English name. */
export const countries: readonly Country[] = countryRows.map(([code, alpha3, name, nameEl]) => ({
  code,
  alpha3,
  name,
  nameEl,
  zone: zoneOf(code),
  schengen: schengenStates.has(code),
}));

function zoneOf(code: string): CountryZone {
  if (code === "GR") return "GREECE";
  return schengenStates.has(code) || otherEurope.has(code) ? "EUROPE" : "WORLDWIDE";
}
