import { codes, type Mapping, plainText } from "@insurance-gateway/adapter";

/** The namespace of the insurer's operations, and their path. */
export const namespace = "http://ws.provider-c.example/quotation/v2";
export const path = "/gbox-ws/soap/v2/quotation";

/** A vehicle usage as the insurer writes it. */
export const usageRows: Mapping = [
  ["/code", "/usageCode", plainText],
  ["/name", "/descriptionEn", plainText],
  ["/nameEl", "/descriptionEl", plainText],
  [
    "/category",
    "/group",
    codes(
      {
        EIX: "PRIVATE",
        TAXI: "TAXI",
        FIX: "TRUCK_PRIVATE",
        FDX: "TRUCK_PUBLIC",
        AGR: "AGRICULTURAL",
        MOTO: "MOTORCYCLE",
        BUS: "BUS",
        RENT: "HIRE",
        MISC: "OTHER",
      },
      { unknown: "OTHER" },
    ),
  ],
];
