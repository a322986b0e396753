import type { Schema } from "@insurance-gateway/core/contract";
import { date, strict } from "@insurance-gateway/core/schema";

/** The days a policy is to cover. */
export interface PolicyPeriod {
  /**
   * First day of cover, `YYYY-MM-DD`, as a date in Greece. Source: specification, "Motor application".
   * @el Ημερομηνία έναρξης
   */
  startDate: string;
  /**
   * Last day of cover, `YYYY-MM-DD`; later than `startDate`. Source: specification, "Motor application".
   * @el Ημερομηνία λήξης
   */
  endDate: string;
}

export const policyPeriod: Schema<PolicyPeriod> = strict<PolicyPeriod>(
  { startDate: date(), endDate: date() },
  {
    path: ["endDate"],
    code: "DATE_ORDER",
    message: "must be after startDate",
    // Dates written YYYY-MM-DD sort as text.
    holds: (period) => period.endDate > period.startDate,
  },
);
