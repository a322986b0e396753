import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import {
  headingStyle,
  padding,
  subheadingStyle,
  type TextBlock,
  type TextLine,
  textStyle,
} from "./body.ts";
import { fontFile } from "./fonts.ts";
import { type Frame, type FrameForm, layOutFrame, type Rectangle } from "./frames.ts";
import { CONTENT_WIDTH, PAGE } from "./geometry.ts";
import { drawIcon, drawMark, iconAlternative, markAlternative } from "./icons.ts";
import type { Placement } from "./layout.ts";
import type { Measure, TextStyle } from "./measure.ts";
import { INK_COLOURS, SHADES } from "./palette.ts";
import { LABELS, TITLE } from "./sections.ts";

/** Font and size of the footer and the running head. */
const SMALL_STYLE: TextStyle = { face: "regular", size: 7.25, leading: 0 };

/** Corner radius of the frames, in points. */
const CORNER_RADIUS = 5;

/** Draws decoration (backgrounds, borders), which a screen reader must skip. */
export function drawArtifact(
  document: PDFKit.PDFDocument,
  type: "Layout" | "Pagination",
  draw: () => void,
): void {
  document.markContent("Artifact", { type });
  draw();
  document.endMarkedContent();
}

/** Draws a text in a column. The first line's top left corner is at x, y, in points. */
export function drawText(
  document: PDFKit.PDFDocument,
  text: string,
  type: TextStyle,
  colour: string,
  x: number,
  y: number,
  width: number,
): void {
  document.font(fontFile(type.face), type.size).fillColor(colour);
  document.text(text, x, y, { width, lineGap: type.leading });
}

/** Draws a section: frame, icon, heading and content. `parent` is the enclosing element of the PDF's structure. */
export function drawSection(
  document: PDFKit.PDFDocument,
  parent: PDFKit.PDFStructureElement,
  placement: Placement,
  measure: Measure,
): void {
  const { section, form, box, spacing } = placement;
  const frame = layOutFrame(form, section, box.width, spacing, measure);
  drawArtifact(document, "Layout", () => drawFrame(document, placement, frame));
  const parts = frame.body.blocks.map((block) => tagBlock(document, placement, frame, block));
  const children = [...tagIcon(document, placement, frame), tagHeading(document, placement, frame)];
  parent.add(document.struct("Sect", { title: section.heading }, [...children, ...parts]));
}

function drawFrame(document: PDFKit.PDFDocument, placement: Placement, frame: Frame): void {
  const { form, box, section } = placement;
  const shades = SHADES[section.tone];
  const head = form === "card" ? frame.head : { width: frame.head.width, height: box.height };
  document.save().roundedRect(box.x, box.y, box.width, box.height, CORNER_RADIUS).clip();
  document.rect(box.x, box.y, head.width, head.height).fill(shades.tint);
  if (form === "card") document.rect(box.x, box.y, box.width, 2.5).fill(shades.full);
  else document.rect(box.x, box.y, 3, box.height).fill(shades.full);
  document.restore();
  document
    .roundedRect(box.x, box.y, box.width, box.height, CORNER_RADIUS)
    .lineWidth(0.6)
    .stroke(INK_COLOURS.hairline);
}

// Returns the top of a frame's content. In a row that is higher than necessary, the content is centred vertically.
function contentTop(box: Rectangle, form: FrameForm, frame: Frame): number {
  return form === "row" ? box.y + (box.height - frame.height) / 2 : box.y;
}

function iconBox({ box, form, spacing }: Placement, frame: Frame): Rectangle {
  const x = box.x + padding(spacing);
  const side = frame.iconSide;
  // In a row with a long heading, the icon is beside the first lines.
  const inset = form === "row" ? padding(spacing) : (frame.head.height - side) / 2;
  return { x, y: contentTop(box, form, frame) + inset, width: side, height: side };
}

function tagIcon(
  document: PDFKit.PDFDocument,
  placement: Placement,
  frame: Frame,
): readonly PDFKit.PDFStructureElement[] {
  const name = placement.section.icon;
  if (name === undefined) return [];
  const { x, y, width, height } = iconBox(placement, frame);
  // The types of pdfkit 0.17 lack `bbox` and `placement`; a variable may have additional members.
  const options = {
    alt: iconAlternative(name),
    bbox: [x, y, x + width, y + height],
    placement: "Block",
  };
  const draw = (): void => drawIcon(document, name, x, y, width);
  return [document.struct("Figure", options, draw)];
}

function tagHeading(
  document: PDFKit.PDFDocument,
  placement: Placement,
  frame: Frame,
): PDFKit.PDFStructureElement {
  const { section, form, box, spacing } = placement;
  const x = box.x + frame.head.width - padding(spacing) - frame.headingWidth;
  const y = contentTop(box, form, frame) + (frame.head.height - frame.headingHeight) / 2;
  const colour = SHADES[section.tone].dark;
  const type = headingStyle(spacing);
  return document.struct("H2", {}, () =>
    drawText(document, section.heading, type, colour, x, y, frame.headingWidth),
  );
}

function tagBlock(
  document: PDFKit.PDFDocument,
  placement: Placement,
  frame: Frame,
  block: TextBlock,
): PDFKit.PDFStructureElement {
  const { box, form, spacing, section } = placement;
  const text = (line: TextLine) => (): void => {
    const x = box.x + frame.bodyX + block.indent;
    const y = contentTop(box, form, frame) + frame.bodyY + line.top;
    const heading = block.kind === "subheading";
    const type = heading ? subheadingStyle(spacing) : textStyle(spacing);
    const colour = heading ? SHADES[section.tone].dark : INK_COLOURS.text;
    drawText(document, line.text, type, colour, x, y, frame.bodyWidth - block.indent);
  };
  if (block.kind === "list") {
    const items = block.lines.map((line) => {
      const label = tagMark(document, placement, frame, block, line);
      return document.struct("LI", {}, [...label, document.struct("LBody", {}, text(line))]);
    });
    return document.struct("L", {}, items);
  }
  return document.struct(block.kind === "subheading" ? "H3" : "P", {}, block.lines.map(text));
}

function tagMark(
  document: PDFKit.PDFDocument,
  { box, form, spacing }: Placement,
  frame: Frame,
  block: TextBlock,
  line: TextLine,
): readonly PDFKit.PDFStructureElement[] {
  const mark = block.mark;
  if (mark === undefined) return [];
  const side = spacing.size * 0.86;
  const x = box.x + frame.bodyX + spacing.size * 0.15;
  // In DejaVu Sans, capitals are between 0.2 and 0.93 em below the top of the line.
  const top = contentTop(box, form, frame) + frame.bodyY + line.top;
  const y = top + spacing.size * 0.565 - side / 2;
  const draw = (): void => drawMark(document, mark, x, y, side);
  return [document.struct("Lbl", { alt: markAlternative(mark) }, draw)];
}

/** Draws the slim band at the top of page two. The band repeats the title, so screen readers skip the band. */
export function drawRunningHead(document: PDFKit.PDFDocument, ipid: Ipid): void {
  drawArtifact(document, "Pagination", () => {
    document.rect(0, 0, PAGE.width, PAGE.runningHead).fill(INK_COLOURS.band);
    const y = (PAGE.runningHead - SMALL_STYLE.size * 1.164) / 2;
    document.font(fontFile("bold"), SMALL_STYLE.size).fillColor(INK_COLOURS.white);
    document.text(TITLE, PAGE.margin, y, { width: CONTENT_WIDTH, lineBreak: false });
    const left = PAGE.margin + document.widthOfString(TITLE) + 14;
    const width = PAGE.margin + CONTENT_WIDTH - left;
    document.font(fontFile("regular"), SMALL_STYLE.size).fillColor(INK_COLOURS.bandLabel);
    document.text(ipid.product, left, y, {
      width,
      height: SMALL_STYLE.size,
      ellipsis: true,
      align: "right",
    });
  });
}

/** Draws the footer: the insurance application's reference, the page's number and the number of pages. */
export function drawFooter(
  document: PDFKit.PDFDocument,
  ipid: Ipid,
  page: number,
  pages: number,
): void {
  drawArtifact(document, "Pagination", () => {
    const { margin, footerRule } = PAGE;
    document.moveTo(margin, footerRule).lineTo(margin + CONTENT_WIDTH, footerRule);
    document.lineWidth(0.6).stroke(INK_COLOURS.hairline);
    const y = footerRule + 6;
    document.font(fontFile("regular"), SMALL_STYLE.size).fillColor(INK_COLOURS.muted);
    const width = CONTENT_WIDTH - 90;
    const reference = `${LABELS.reference}: ${ipid.reference}`;
    document.text(reference, margin, y, { width, height: SMALL_STYLE.size, ellipsis: true });
    const number = `Σελίδα ${page} από ${pages}`;
    document.text(number, margin, y, { width: CONTENT_WIDTH, align: "right" });
  });
}
