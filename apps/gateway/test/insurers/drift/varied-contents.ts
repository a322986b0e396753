import { soapAnswer } from "./insurer-contents.ts";

/** An insurer's answer as the insurer sends it over the network. */
export interface VariedAnswer {
  readonly body: string;
  readonly mediaType: string;
}

/** Creates an answer in the insurer's documented form; the values, nulls and lengths of lists depend on the seed. */
export function varied(letter: "a" | "b" | "c" | "d" | "e", seed: number): VariedAnswer {
  const draw = drawing(seed);
  const json = (content: object): VariedAnswer => ({
    body: JSON.stringify(content),
    mediaType: "application/json",
  });
  switch (letter) {
    case "a":
      return json(brandsOf(draw));
    case "b":
      return json(countriesOf(draw));
    case "c":
      return { body: soapAnswer(usagesOf(draw)), mediaType: "text/xml" };
    case "d":
      return json(applicationsOf(draw));
    case "e":
      return json(quotationOf(draw));
  }
}

/** Draws a whole number below a limit. */
type Draw = (below: number) => number;

/** Creates a generator that draws the same numbers for the same seed (a linear congruential generator). */
function drawing(seed: number): Draw {
  let state = (seed * 2_654_435_761 + 1) % 2 ** 32;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function some<Made>(draw: Draw, most: number, make: (index: number) => Made): readonly Made[] {
  return Array.from({ length: draw(most + 1) }, (_, index) => make(index));
}

function word(draw: Draw): string {
  const letters = "ABCabcΑΒγδέ -'&.";
  return `w${Array.from({ length: draw(12) }, () => letters[draw(letters.length)]).join("")}`;
}

function day(draw: Draw): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `20${two(draw(90) + 10)}-${two(draw(12) + 1)}-${two(draw(28) + 1)}`;
}

function oneOf<One>(draw: Draw, first: One, ...others: readonly One[]): One {
  return others[draw(others.length + 1) - 1] ?? first;
}

function brandsOf(draw: Draw): object {
  const item = (index: number): object => ({
    ItemID: index,
    ItemCode: String(index),
    ItemName: word(draw),
  });
  return { Header: {}, Success: true, Errors: [], MotorItems: some(draw, 6, item) };
}

function countriesOf(draw: Draw): object {
  const capital = (): string => String.fromCodePoint(65 + draw(26));
  const content = some(draw, 6, () => ({
    isoAlpha2: capital() + capital(),
    isoAlpha3: capital() + capital() + capital(),
    labels: { en: word(draw), el: word(draw) },
    tariffZone: oneOf(draw, "A", "B", "C"),
    schengenMember: oneOf(draw, "Y", "N"),
  }));
  return { content, page: 0, size: 100, totalElements: content.length };
}

function usagesOf(draw: Draw): string {
  const element = (name: string, text: string): string => `<q:${name}>${text}</q:${name}>`;
  const usage = (index: number): string =>
    element(
      "usage",
      [
        element("usageCode", String(index).padStart(2, "0")),
        element("descriptionEn", word(draw).replaceAll("&", "&amp;")),
        element("descriptionEl", `<![CDATA[${word(draw)}]]>`),
        element("group", oneOf(draw, "EIX", "TAXI", "AGR", "BUS", "MISC")),
      ].join("\n"),
    );
  return some(draw, 4, usage).join("\n");
}

function applicationsOf(draw: Draw): object {
  const cents = (): number => draw(1_000_000) / 100;
  const application = (index: number): object => ({
    applicationNumber: `D-${index}`,
    state: oneOf(draw, "NEW", "IN_ASSESSMENT", "ACCEPTED", "REFUSED", "PREPAY", "POLICY", "LAPSED"),
    remarks: some(draw, 2, () => ({ remarkCode: word(draw), remark: word(draw) })),
    contract: {
      validFrom: day(draw),
      validTo: day(draw),
      ...Object(oneOf<object>(draw, {}, { policyNumber: null }, { policyNumber: word(draw) })),
    },
    vehicle: { licensePlate: word(draw), makeCode: word(draw), model: word(draw) },
    policyholder: { taxNumber: String(100_000_000 + draw(800_000_000)), name: word(draw) },
    charge: oneOf<object | null | undefined>(draw, null, undefined, {
      net: cents(),
      taxes: cents(),
      total: cents(),
      currency: "EUR",
    }),
    prepay: oneOf<object | null | undefined>(draw, null, undefined, {
      paymentCode: word(draw),
      payUntil: day(draw),
    }),
    submittedAt: `${day(draw)}T08:00:00${oneOf(draw, "Z", ".5Z", "+02:00")}`,
    changedAt: `${day(draw)}T08:00:00Z`,
  });
  const items = some(draw, 3, application);
  return { applications: items, count: items.length };
}

function quotationOf(draw: Draw): object {
  const money = (): string =>
    `${oneOf(draw, "0", "12", "1234", "1.234", "12.345.678")},${String(draw(100)).padStart(2, "0")}`;
  return {
    age: draw(90),
    years: draw(40) + 1,
    premiumMonthly: money(),
    premiumsTotal: money(),
    charges: { entry: money(), yearly: money(), accountPercent: money() },
    projections: some(draw, 4, () => ({
      scenario: oneOf(draw, "LOW", "MID", "HIGH"),
      returnPercent: money(),
      capital: money(),
      pension: money(),
    })),
    basis: { annuityYears: draw(30), annuityReturnPercent: money(), method: word(draw) },
    currencyCode: "EUR",
  };
}
