import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import type { Spacing } from "./body.ts";
import { drawArtifact, drawText } from "./draw.ts";
import { CONTENT_WIDTH, PAGE } from "./geometry.ts";
import {
  type HeaderFact,
  type HeaderLayout,
  LABEL_STYLE,
  layOutHeader,
  PRODUCT_STYLE,
  STATEMENT_INSET,
  statementStyle,
  TITLE_STYLE,
  valueStyle,
} from "./header.ts";
import type { Measure, TextStyle } from "./measure.ts";
import { INK_COLOURS } from "./palette.ts";
import { TITLE } from "./sections.ts";

/**
 * Draws the top of page one: title, manufacturer, product and statement. `parent` is the enclosing element of the PDF's
 * structure.
 */
export function drawHeader(
  document: PDFKit.PDFDocument,
  parent: PDFKit.PDFStructureElement,
  ipid: Ipid,
  spacing: Spacing,
  measure: Measure,
): void {
  const header = layOutHeader(ipid, spacing, measure);
  drawArtifact(document, "Layout", () => drawGrounds(document, header));
  const title = (): void =>
    drawText(
      document,
      TITLE,
      TITLE_STYLE,
      INK_COLOURS.white,
      PAGE.margin,
      header.titleY,
      CONTENT_WIDTH,
    );
  parent.add(document.struct("H1", {}, title));
  for (const fact of header.facts) {
    parent.add(tagFact(document, fact, valueStyle(spacing)));
  }
  parent.add(tagFact(document, header.product, PRODUCT_STYLE));
  const x = PAGE.margin + STATEMENT_INSET;
  const width = CONTENT_WIDTH - STATEMENT_INSET;
  const type = statementStyle(spacing);
  const statement = (): void =>
    drawText(document, ipid.statement, type, INK_COLOURS.text, x, header.statementY, width);
  parent.add(document.struct("P", {}, statement));
}

function drawGrounds(document: PDFKit.PDFDocument, header: HeaderLayout): void {
  document.rect(0, 0, PAGE.width, header.bandHeight).fill(INK_COLOURS.band);
  document.moveTo(PAGE.margin, header.productRule);
  document.lineTo(PAGE.margin + CONTENT_WIDTH, header.productRule);
  document.lineWidth(0.6).strokeOpacity(0.4).stroke(INK_COLOURS.bandLabel).strokeOpacity(1);
  document
    .rect(PAGE.margin, header.statementY - 1, 3, header.statementHeight + 2)
    .fill(INK_COLOURS.band);
}

function tagFact(
  document: PDFKit.PDFDocument,
  fact: HeaderFact,
  type: TextStyle,
): PDFKit.PDFStructureElement {
  const { x, width } = fact;
  return document.struct("P", {}, () => {
    // The colon and the space separate the label from the value for users of screen readers.
    drawText(document, `${fact.label}: `, LABEL_STYLE, INK_COLOURS.bandLabel, x, fact.y, width);
    drawText(document, fact.value, type, INK_COLOURS.white, x, fact.valueY, width);
  });
}
