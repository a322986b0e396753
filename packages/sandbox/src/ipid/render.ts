import { once } from "node:events";
import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import PDFDocument from "pdfkit";
import { drawFooter, drawRunningHead, drawSection } from "./draw.ts";
import { drawHeader } from "./draw-header.ts";
import { fontFile } from "./fonts.ts";
import { PAGE } from "./geometry.ts";
import { type Layout, layOutDocument } from "./layout.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { TITLE } from "./sections.ts";

/**
 * Creation date of every document. It is fixed so that the same content always results in the same bytes: the file's id
 * is derived from the date and the metadata.
 */
const CREATION_DATE = "2026-01-01T00:00:00Z";

/**
 * Renders an Insurance Product Information Document in Greek as a tagged PDF of exactly two A4 pages (Regulation (EU)
 * 2017/1469). The same content results in the same bytes.
 *
 * @throws Error if the texts are too long for two pages in the smallest legible type
 */
export async function renderIpid(ipid: Ipid): Promise<Uint8Array> {
  const document = createDocument(ipid);
  const measure = createMeasure(document);
  const layout = layOutDocument(ipid, measure);
  drawPages(document, ipid, layout, measure);
  return collectPdfBytes(document);
}

function createDocument(ipid: Ipid): PDFKit.PDFDocument {
  // The types of pdfkit 0.17 lack this subset, which pdfkit has supported since 0.14.
  const accessible: object = { subset: "PDF/UA" };
  const font = fontFile("regular");
  return new PDFDocument({
    ...accessible,
    pdfVersion: "1.7",
    tagged: true,
    lang: "el",
    displayTitle: true,
    autoFirstPage: false,
    size: [PAGE.width, PAGE.height],
    // The layout sets its own margins. pdfkit must never break a page by itself.
    margin: 0,
    font,
    info: {
      Title: TITLE,
      Subject: metadataText(ipid.product),
      Author: metadataText(ipid.manufacturer.name),
      Keywords: metadataText(ipid.reference),
      Creator: "Insurance Gateway sandbox",
      CreationDate: new Date(CREATION_DATE),
    },
  });
}

// Removes markup characters, because pdfkit writes metadata into XML without escaping.
function metadataText(text: string): string {
  return text.replaceAll(/[<>&]/gu, " ");
}

function drawPages(
  document: PDFKit.PDFDocument,
  ipid: Ipid,
  layout: Layout,
  measure: Measure,
): void {
  const root = document.struct("Document");
  document.addStructure(root);
  document.addPage();
  drawHeader(document, root, ipid, layout.spacing, measure);
  for (const placement of layout.first) drawSection(document, root, placement, measure);
  drawFooter(document, ipid, 1, 2);
  document.addPage();
  drawRunningHead(document, ipid);
  for (const placement of layout.second) drawSection(document, root, placement, measure);
  drawFooter(document, ipid, 2, 2);
  root.end();
}

async function collectPdfBytes(document: PDFKit.PDFDocument): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const ended = once(document, "end");
  document.end();
  await ended;
  return new Uint8Array(Buffer.concat(chunks));
}
