import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import type { Spacing } from "./body.ts";
import { padding, sectionGap, textStyle } from "./body.ts";
import { CONTENT_WIDTH, PAGE } from "./geometry.ts";
import type { Measure, TextStyle } from "./measure.ts";
import { LABELS, TITLE } from "./sections.ts";

/** Fact of the header: its label and value, their position, and the fonts and sizes of both. */
export interface HeaderFact {
  readonly label: string;
  readonly value: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly valueY: number;
}

/** Layout of the top of page one, in points from the top of the page. */
export interface HeaderLayout {
  readonly titleY: number;
  readonly titleHeight: number;
  readonly facts: readonly HeaderFact[];
  readonly productRule: number;
  readonly product: HeaderFact;
  /** Bottom of the coloured band. */
  readonly bandHeight: number;
  readonly statementY: number;
  readonly statementHeight: number;
  /** Bottom of the header, where the first section begins. */
  readonly bottom: number;
}

/** Font and size of the document's title. */
export const TITLE_STYLE: TextStyle = { face: "bold", size: 18, leading: 2 };
/** Font and size of the small labels in the header; 7 pt has an x-height of 1.35 mm. */
export const LABEL_STYLE: TextStyle = { face: "regular", size: 7.25, leading: 0 };
/** Font and size of the product's name. */
export const PRODUCT_STYLE: TextStyle = { face: "bold", size: 12.5, leading: 1.5 };

/** Returns the font and size of the header's values. */
export function valueStyle(spacing: Spacing): TextStyle {
  return { face: "bold", size: Math.min(spacing.size, 9), leading: 1 };
}

/** Returns the font and size of the statement under the header. */
export function statementStyle(spacing: Spacing): TextStyle {
  return { ...textStyle(spacing), face: "bold" };
}

/** Indent of the statement from both margins, in points. */
export const STATEMENT_INSET = 12;

/** Lays out the top of page one: title, manufacturer, product (article 1 of Regulation (EU) 2017/1469), statement (article 2). */
export function layOutHeader(ipid: Ipid, spacing: Spacing, measure: Measure): HeaderLayout {
  const titleY = 24;
  const titleHeight = measure(TITLE, TITLE_STYLE, CONTENT_WIDTH);
  const factsY = titleY + titleHeight + 10;
  const { facts, bottom } = layOutFacts(ipid, factsY, spacing, measure);
  const productRule = bottom + 8;
  const product = layOutFact(
    LABELS.product,
    ipid.product,
    PAGE.margin,
    productRule + 7,
    CONTENT_WIDTH,
  );
  const bandHeight = product.valueY + measure(ipid.product, PRODUCT_STYLE, CONTENT_WIDTH) + 12;
  const inset = padding(spacing);
  const statementY = bandHeight + sectionGap(spacing) + inset * 0.5;
  const width = CONTENT_WIDTH - STATEMENT_INSET;
  const statementHeight = measure(ipid.statement, statementStyle(spacing), width);
  return {
    titleY,
    titleHeight,
    facts,
    productRule,
    product,
    bandHeight,
    statementY,
    statementHeight,
    bottom: statementY + statementHeight + inset * 0.5 + sectionGap(spacing),
  };
}

function layOutFacts(
  ipid: Ipid,
  y: number,
  spacing: Spacing,
  measure: Measure,
): { readonly facts: readonly HeaderFact[]; readonly bottom: number } {
  const width = (CONTENT_WIDTH - 20) / 2;
  const { name, memberState, regulatoryStatus, authorisationNumber } = ipid.manufacturer;
  const pairs: readonly (readonly [string, string])[] = [
    [LABELS.name, name],
    [LABELS.memberState, memberState],
    [LABELS.regulatoryStatus, regulatoryStatus],
    [LABELS.authorisationNumber, authorisationNumber],
  ];
  const facts: HeaderFact[] = [];
  let top = y;
  for (let index = 0; index < pairs.length; index += 2) {
    if (index > 0) top += 6;
    let bottom = top;
    pairs.slice(index, index + 2).forEach(([label, value], column) => {
      // The authorisation number is stated only where relevant (article 1 of Regulation (EU) 2017/1469). Without a
      // number, the label of the number is omitted too.
      if (value === "") return;
      const fact = layOutFact(label, value, PAGE.margin + column * (width + 20), top, width);
      facts.push(fact);
      bottom = Math.max(bottom, fact.valueY + measure(value, valueStyle(spacing), width));
    });
    top = bottom;
  }
  return { facts, bottom: top };
}

function layOutFact(label: string, value: string, x: number, y: number, width: number): HeaderFact {
  return { label, value, x, y, width, valueY: y + 10 };
}
