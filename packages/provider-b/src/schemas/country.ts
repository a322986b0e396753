import type { OpenEnum, Schema } from "@insurance-gateway/core/contract";
import { loose, openEnum } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A country or territory that a travel policy can name. Source: `docs/decisions.md`, "Answers". */
export interface Country {
  /**
   * ISO 3166-1 alpha-2: `GR`.
   * @el Κωδικός χώρας (2 γράμματα)
   */
  code: string;
  /**
   * ISO 3166-1 alpha-3: `GRC`.
   * @el Κωδικός χώρας (3 γράμματα)
   */
  alpha3: string;
  /**
   * The name in English.
   * @el Ονομασία στα αγγλικά
   */
  name: string;
  /**
   * The name in Greek.
   * @el Ονομασία στα ελληνικά
   */
  nameEl: string;
  /**
   * The zone of travel insurance of the country.
   * @el Ζώνη ταξιδιωτικής ασφάλισης
   */
  zone: CountryZone;
  /**
   * True for a Schengen state, where a visa requires medical cover of at least 30,000 EUR.
   * @el Χώρα Σένγκεν
   */
  schengen: boolean;
}

/** A zone of travel insurance: Greece itself, the rest of Europe, the rest of the world; the list may grow. */
export type CountryZone = OpenEnum<(typeof zones)[number]>;

const zones = ["GREECE", "EUROPE", "WORLDWIDE"] as const;

export const country: Schema<Country> = loose<Country>({
  code: z.string().check(z.regex(/^[A-Z]{2}$/, { error: "must be two capital letters" })),
  alpha3: z.string().check(z.regex(/^[A-Z]{3}$/, { error: "must be three capital letters" })),
  name: z.string(),
  nameEl: z.string(),
  zone: openEnum(...zones),
  schengen: z.boolean(),
});
