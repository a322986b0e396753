import { type Schema, strict, text } from "@insurance-gateway/core/contract";

/** The parameters that name an application's Insurance Product Information Document. */
export interface IpidRequest {
  /** The insurer's identifier of the application. Source: specification, endpoint 7. */
  applicationId: string;
}

export const ipidRequest: Schema<IpidRequest> = strict<IpidRequest>({ applicationId: text() });
