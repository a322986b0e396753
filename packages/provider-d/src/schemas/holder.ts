import type { Schema } from "@insurance-gateway/core/contract";
import { afm, strict, text } from "@insurance-gateway/core/schema";

/** The policy holder. */
export interface Holder {
  /**
   * Tax identification number (ΑΦΜ), 9 digits. Form only: the check digit is not verified. Source: specification,
   * "Motor application".
   * @el ΑΦΜ
   */
  afm: string;
  /**
   * Full name, in any script. Source: specification, "Motor application".
   * @el Ονοματεπώνυμο
   */
  fullName: string;
}

export const holder: Schema<Holder> = strict<Holder>({ afm: afm(), fullName: text() });
