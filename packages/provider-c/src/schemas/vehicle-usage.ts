import type { OpenEnum, Schema } from "@insurance-gateway/core/contract";
import { loose, openEnum } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A usage for which a vehicle can be insured. Source: `docs/decisions.md`, "Answers". */
export interface VehicleUsage {
  /**
   * The insurer's own code, digits as a string because leading zeros count: `00` is a private car.
   * @el Κωδικός χρήσης
   */
  code: string;
  /**
   * The name in English.
   * @el Ονομασία στα αγγλικά
   */
  name: string;
  /**
   * The name in Greek, with the usual abbreviation: `Επιβατηγό ιδιωτικής χρήσης (ΕΙΧ)`.
   * @el Ονομασία στα ελληνικά
   */
  nameEl: string;
  /**
   * The group of the usage, the same for every insurer.
   * @el Κατηγορία χρήσης οχήματος
   */
  category: VehicleUsageCategory;
}

/** A group of vehicle usages; the list may grow. */
export type VehicleUsageCategory = OpenEnum<(typeof categories)[number]>;

const categories = [
  "PRIVATE",
  "TAXI",
  "TRUCK_PRIVATE",
  "TRUCK_PUBLIC",
  "AGRICULTURAL",
  "MOTORCYCLE",
  "BUS",
  "HIRE",
  "OTHER",
] as const;

export const vehicleUsage: Schema<VehicleUsage> = loose<VehicleUsage>({
  code: z.string().check(z.minLength(1)),
  name: z.string(),
  nameEl: z.string(),
  category: openEnum(...categories),
});
