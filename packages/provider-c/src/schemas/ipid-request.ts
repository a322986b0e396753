import type { Schema } from "@insurance-gateway/core/contract";
import { strict, text } from "@insurance-gateway/core/schema";

/** The parameters that name an application's Insurance Product Information Document. */
export interface IpidRequest {
  /**
   * The insurer's identifier of the application. Source: specification, endpoint 7.
   * @el Αριθμός αίτησης ασφάλισης
   */
  applicationId: string;
}

export const ipidRequest: Schema<IpidRequest> = strict<IpidRequest>({ applicationId: text() });
