import type { Schema } from "@insurance-gateway/core/contract";
import { strict, text } from "@insurance-gateway/core/schema";

/** The vehicle to insure. */
export interface Vehicle {
  /**
   * Registration plate as the holder writes it, Greek or Latin letters: `ΙΚΥ-1234`. Echoed as given. Source:
   * specification, "Motor application".
   * @el Αριθμός κυκλοφορίας
   */
  plateNumber: string;
  /**
   * The insurer's code of the manufacturer. Source: specification, "Motor application".
   * @el Κωδικός κατασκευαστή
   */
  manufacturerCode: string;
  /**
   * The insurer's code of the model, or the model's name. Source: specification, "Motor application".
   * @el Μοντέλο (κωδικός ή ονομασία)
   */
  modelCode: string;
}

export const vehicle: Schema<Vehicle> = strict<Vehicle>({
  plateNumber: text(),
  manufacturerCode: text(),
  modelCode: text(),
});
