import { codes, type Mapping, plainText } from "@insurance-gateway/adapter";

/** The XML namespace and the path of the insurer's operations. */
export const namespace = "http://ws.provider-c.example/quotation/v2";
export const path = "/gbox-ws/soap/v2/quotation";

/** The fields of a vehicle usage, as the insurer writes them. */
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
