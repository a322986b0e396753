import type { Schema } from "@insurance-gateway/core/contract";
import { strict, zod } from "@insurance-gateway/core/schema";
import { type Holder, holder } from "./holder.ts";
import { type PolicyPeriod, policyPeriod } from "./policy-period.ts";
import { type Vehicle, vehicle } from "./vehicle.ts";

/** An application for motor insurance. Source: specification, "Motor application". */
export interface MotorApplication {
  /** @el Διάρκεια ασφάλισης */
  policy: PolicyPeriod;
  /** @el Όχημα */
  vehicle: Vehicle;
  /**
   * The policy holder.
   * @el Λήπτης της ασφάλισης (συμβαλλόμενος)
   */
  holder: Holder;
}

export const motorApplication: Schema<MotorApplication> = strict<MotorApplication>({
  policy: zod(policyPeriod),
  vehicle: zod(vehicle),
  holder: zod(holder),
});
