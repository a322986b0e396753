import {
  codes,
  dateText,
  decimalNumber,
  instantText,
  type Mapping,
  nullable,
  plainText,
} from "@insurance-gateway/adapter";

/** The path of the insurer's motor service. */
export const service = "/mtr-api/v5";

/** The insurer's states of an application, with the declared states. Any other state of the insurer proves nothing. */
export const states: Readonly<Record<string, string>> = {
  NEW: "RECEIVED",
  IN_ASSESSMENT: "UNDER_REVIEW",
  ACCEPTED: "APPROVED",
  REFUSED: "DECLINED",
  PREPAY: "AWAITING_PAYMENT",
  POLICY: "ISSUED",
  LAPSED: "EXPIRED",
  WITHDRAWN: "CANCELLED",
};

/** The fields of the insured person and vehicle in requests and answers. Their texts are not translated. */
const subjectRows: Mapping = [
  ["/policy/startDate", "/contract/validFrom", dateText("yyyy-MM-dd")],
  ["/policy/endDate", "/contract/validTo", dateText("yyyy-MM-dd")],
  ["/vehicle/plateNumber", "/vehicle/licensePlate"],
  ["/vehicle/manufacturerCode", "/vehicle/makeCode"],
  ["/vehicle/modelCode", "/vehicle/model"],
  ["/holder/afm", "/policyholder/taxNumber", plainText],
  ["/holder/fullName", "/policyholder/name"],
];

/** A request in the insurer's format. */
export const requestRows: Mapping = subjectRows;

/** The fields of an application, as the insurer writes them. */
export const applicationRows: Mapping = [
  ["/applicationId", "/applicationNumber", plainText],
  ["/status", "/state", codes(states, { unknown: "UNDER_REVIEW" })],
  {
    list: ["/statusReasons", "/remarks"],
    each: [
      ["/code", "/remarkCode", plainText],
      ["/message", "/remark", plainText],
      { ours: "/source", always: "INSURER" },
    ],
  },
  ...subjectRows,
  ["/policy/policyNumber", "/contract/policyNumber", nullable(plainText)],
  {
    group: ["/premium", "/charge"],
    nullable: true,
    fields: [
      ["/net", "/net", decimalNumber(2)],
      ["/taxes", "/taxes", decimalNumber(2)],
      ["/gross", "/total", decimalNumber(2)],
      ["/currency", "/currency", plainText],
    ],
  },
  {
    group: ["/payment", "/prepay"],
    nullable: true,
    fields: [
      ["/code", "/paymentCode", plainText],
      ["/dueDate", "/payUntil", dateText("yyyy-MM-dd")],
    ],
  },
  { ours: "/documents", always: [] },
  ["/createdAt", "/submittedAt", instantText],
  ["/updatedAt", "/changedAt", instantText],
];

/** The insurer's field names in error answers, with the declared fields. */
export const fieldNames: Readonly<Record<string, string>> = {
  "contract.validFrom": "/policy/startDate",
  "contract.validTo": "/policy/endDate",
  "vehicle.licensePlate": "/vehicle/plateNumber",
  "vehicle.makeCode": "/vehicle/manufacturerCode",
  "vehicle.model": "/vehicle/modelCode",
  "policyholder.taxNumber": "/holder/afm",
  "policyholder.name": "/holder/fullName",
};
