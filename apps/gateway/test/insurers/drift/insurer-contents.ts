/** Answers of the five insurers in their documented formats. */

export const brands: object = {
  Header: { CultureName: "GR", ServiceVersion: "1" },
  Success: true,
  Errors: [],
  MotorItems: [
    { ItemID: 0, ItemCode: "0", ItemName: "-" },
    { ItemID: 1, ItemCode: "FIA", ItemName: "Fiat" },
    { ItemID: 2, ItemCode: "TOY", ItemName: "Toyota" },
  ],
};

export const countries: object = {
  content: [
    {
      isoAlpha2: "CY",
      isoAlpha3: "CYP",
      labels: { en: "Cyprus", el: "Κύπρος" },
      tariffZone: "B",
      schengenMember: "N",
    },
    {
      isoAlpha2: "GR",
      isoAlpha3: "GRC",
      labels: { en: "Greece", el: "Ελλάδα" },
      tariffZone: "A",
      schengenMember: "Y",
    },
  ],
  page: 0,
  size: 100,
  totalElements: 2,
};

/** Content of the answer's XML element: two vehicle usages in the insurer's namespace, which has the prefix `q`. */
export const usages: string = [
  "<q:usage><q:usageCode>00</q:usageCode><q:descriptionEn>Private car</q:descriptionEn>",
  "<q:descriptionEl>Επιβατηγό</q:descriptionEl><q:group>EIX</q:group></q:usage>",
  "<q:usage><q:usageCode>10</q:usageCode><q:descriptionEn>Taxi</q:descriptionEn>",
  "<q:descriptionEl>Ταξί</q:descriptionEl><q:group>TAXI</q:group></q:usage>",
].join("");

/**
 * Adds texts to the list of usages: as names and values of attributes, as names and contents of elements, and as
 * namespaces.
 */
export function usagesWith(texts: readonly string[]): string {
  // A name in XML must begin with a letter or an underscore.
  const names = texts.map((text) => `_${text.replaceAll(" ", "-")}`);
  const attributes = names.map((name, index) => `${name}="${texts[index]}"`).join(" ");
  const elements = names.map(
    (name, index) => `<q:${name} ${attributes}>${texts[index]}</q:${name}>`,
  );
  const namespaces = texts.map((text, index) => `xmlns:n${index}="urn:${text}"`).join(" ");
  return usages
    .replaceAll("<q:usage>", `<q:usage ${attributes} ${namespaces}>${elements.join("")}`)
    .replaceAll("<q:group>", `<q:group ${attributes}>`);
}

/** Wraps content in the SOAP answer of an operation. */
export function soapAnswer(content: string): string {
  const namespace = "http://ws.provider-c.example/quotation/v2";
  return [
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>',
    `<q:listVehicleUsagesResponse xmlns:q="${namespace}" xmlns:x="urn:other">${content}`,
    "</q:listVehicleUsagesResponse></e:Body></e:Envelope>",
  ].join("");
}

const application: object = {
  applicationNumber: "D-000001",
  state: "PREPAY",
  remarks: [{ remarkCode: "R-1", remark: "Pay first." }],
  contract: { validFrom: "2026-12-01", validTo: "2027-11-30", policyNumber: null },
  vehicle: { licensePlate: "ΙΚΥ-1234", makeCode: "TOY", model: "YARIS" },
  policyholder: { taxNumber: "123456789", name: "Maria Papadopoulou" },
  charge: { net: 100.5, taxes: 15, total: 115.5, currency: "EUR" },
  prepay: { paymentCode: "RF18", payUntil: "2026-12-15" },
  submittedAt: "2026-11-21T08:00:00Z",
  changedAt: "2026-11-21T09:00:00Z",
};

export const applications: object = { applications: [application], count: 1 };

export const quotation: object = {
  age: 41,
  years: 20,
  premiumMonthly: "100,00",
  premiumsTotal: "24.000,00",
  charges: { entry: "10,00", yearly: "20,00", accountPercent: "0,50" },
  projections: [
    { scenario: "LOW", returnPercent: "0,00", capital: "22.444,41", pension: "113,16" },
    { scenario: "HIGH", returnPercent: "4,00", capital: "33.910,52", pension: "170,97" },
  ],
  basis: { annuityYears: 20, annuityReturnPercent: "2,00", method: "At the start of the month" },
  currencyCode: "EUR",
};

/** A page of applications in the declared contract. */
export const declaredPage: object = {
  items: [
    {
      applicationId: "D-000001",
      status: "AWAITING_PAYMENT",
      statusReasons: [{ code: "R-1", message: "Pay first.", source: "INSURER" }],
      policy: { startDate: "2026-12-01", endDate: "2027-11-30", policyNumber: null },
      vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
      holder: { afm: "123456789", fullName: "Maria Papadopoulou" },
      premium: { net: "100.50", taxes: "15.00", gross: "115.50", currency: "EUR" },
      payment: { code: "RF18", dueDate: "2026-12-15" },
      documents: [{ type: "IPID" }],
      createdAt: "2026-11-21T08:00:00Z",
      updatedAt: "2026-11-21T09:00:00Z",
    },
  ],
  start: 1,
  limit: 20,
  total: 1,
};
