import { codes, flag, type Mapping, text } from "@insurance-gateway/core/adapter";

/** The most countries that the insurer gives in one page. */
export const pageSize = 100;

/** A country as the insurer writes it. */
export const countryRows: Mapping = [
  ["/code", "/isoAlpha2", text],
  ["/alpha3", "/isoAlpha3", text],
  ["/name", "/labels/en", text],
  ["/nameEl", "/labels/el", text],
  ["/zone", "/tariffZone", codes({ A: "GREECE", B: "EUROPE", C: "WORLDWIDE" })],
  ["/schengen", "/schengenMember", flag("Y", "N")],
];
