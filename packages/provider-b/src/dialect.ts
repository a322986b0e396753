import { codes, flag, type Mapping, plainText } from "@insurance-gateway/adapter";

/** The insurer's maximum number of countries on one page. */
export const pageSize = 100;

/** The fields of a country, as the insurer writes them. */
export const countryRows: Mapping = [
  ["/code", "/isoAlpha2", plainText],
  ["/alpha3", "/isoAlpha3", plainText],
  ["/name", "/labels/en", plainText],
  ["/nameEl", "/labels/el", plainText],
  ["/zone", "/tariffZone", codes({ A: "GREECE", B: "EUROPE", C: "WORLDWIDE" })],
  ["/schengen", "/schengenMember", flag("Y", "N")],
];
