import { INK_COLOURS, SHADES, type Tone } from "./palette.ts";

/** The eight icons of article 7 of Regulation (EU) 2017/1469. */
export type IconName =
  | "umbrella"
  | "exclusion"
  | "restriction"
  | "globe"
  | "handshake"
  | "coins"
  | "hourglass"
  | "palm";

/** Symbols (marks) before list items, such as a tick or a cross. */
export type MarkName = "insured" | "notInsured" | "restriction" | "where" | "bullet";

/** Path on a grid of 24 by 24 units: filled, or drawn with a line of the given width in units. */
interface IconShape {
  readonly path: string;
  readonly colour: string;
  readonly stroke?: number;
}

/** Shapes of an icon or mark, and its alternative text. */
interface Drawing {
  readonly alternative: string;
  readonly shapes: readonly IconShape[];
}

/** Returns the alternative text of an icon for screen readers. */
export function iconAlternative(name: IconName): string {
  return ICONS[name].alternative;
}

/** Returns the alternative text of a list item's mark for screen readers. */
export function markAlternative(name: MarkName): string {
  return MARKS[name].alternative;
}

/** Draws an icon in a square whose top left corner is at x, y (points). */
export function drawIcon(
  document: PDFKit.PDFDocument,
  name: IconName,
  x: number,
  y: number,
  side: number,
): void {
  drawShapes(document, ICONS[name].shapes, x, y, side);
}

/** Draws a mark in a square whose top left corner is at x, y (points). */
export function drawMark(
  document: PDFKit.PDFDocument,
  name: MarkName,
  x: number,
  y: number,
  side: number,
): void {
  drawShapes(document, MARKS[name].shapes, x, y, side);
}

function drawShapes(
  document: PDFKit.PDFDocument,
  shapes: readonly IconShape[],
  x: number,
  y: number,
  side: number,
): void {
  document
    .save()
    .translate(x, y)
    .scale(side / 24)
    .lineCap("round")
    .lineJoin("round");
  for (const shape of shapes) {
    document.path(shape.path);
    if (shape.stroke === undefined) document.fill(shape.colour);
    else document.lineWidth(shape.stroke).stroke(shape.colour);
  }
  document.restore();
}

function fill(path: string, colour: string = INK_COLOURS.white): IconShape {
  return { path, colour };
}

function line(path: string, stroke: number, colour: string = INK_COLOURS.white): IconShape {
  return { path, colour, stroke };
}

function badge(tone: Tone): IconShape {
  return fill("M0 12 A12 12 0 0 1 24 12 A12 12 0 0 1 0 12 Z", SHADES[tone].full);
}

// Returns the rim of one coin in a stack, seen from the side.
function coinRim(y: number): IconShape {
  return line(`M5.6 ${y} L9.6 ${y}`, 2.2);
}

// Returns a triangle. A thick outline with round joins softens its corners.
function triangle(tone: Tone): readonly IconShape[] {
  const path = "M12 3 L22.2 20.8 L1.8 20.8 Z";
  return [fill(path, SHADES[tone].full), line(path, 3, SHADES[tone].full)];
}

const UMBRELLA: readonly IconShape[] = [
  badge("green"),
  fill(
    "M4.4 12.6 A7.6 7.2 0 0 1 19.6 12.6 Q17.7 10.6 15.8 12.6 Q13.9 10.6 12 12.6 Q10.1 10.6 8.2 12.6 Q6.3 10.6 4.4 12.6 Z",
  ),
  line("M12 4.2 L12 5.6 M12 12 L12 17.6 A1.8 1.8 0 0 1 8.4 17.6", 1.4),
];

const GLOBE: readonly IconShape[] = [
  badge("blue"),
  line("M4.8 12 A7.2 7.2 0 0 1 19.2 12 A7.2 7.2 0 0 1 4.8 12 Z", 1.3),
  line("M9 12 A3 7.2 0 0 1 15 12 A3 7.2 0 0 1 9 12 Z", 1.1),
  line("M5 12 L19 12 M6.2 8.2 Q12 9.8 17.8 8.2 M6.2 15.8 Q12 14.2 17.8 15.8", 1.1),
];

const HANDSHAKE: readonly IconShape[] = [
  badge("green"),
  fill("M2.4 8.4 L5.2 7.2 L7.8 13.4 L5 14.6 Z"),
  fill("M21.6 8.4 L18.8 7.2 L16.2 13.4 L19 14.6 Z"),
  line("M7 8.8 L9.6 8.2 L11 8.8 M17.2 8.6 L13.8 7.8 L9.4 11 Q10.6 12.6 13 10.6 L17 14", 1.3),
  line("M14.6 12.4 L16.2 14 M13 13.6 L14.6 15.2 M11.6 15 L12.8 16.2", 1.7),
  line("M8.2 14.6 L9.4 13.2 M9.8 16 L11 14.6", 1.9),
];

const GOLD = SHADES.yellow.full;

const COINS: readonly IconShape[] = [
  badge("yellow"),
  ...[7.4, 10.4, 13.4, 16.4].map(coinRim),
  fill("M12 14 A4 4 0 0 1 20 14 A4 4 0 0 1 12 14 Z"),
  line("M17.6 12.6 A2 2 0 1 0 17.6 15.4 M13.4 13.5 L16.2 13.5 M13.4 14.6 L16.2 14.6", 0.8, GOLD),
];

const HOURGLASS: readonly IconShape[] = [
  badge("blue"),
  line("M7.4 5 L16.6 5 M7.4 19 L16.6 19", 1.6),
  line(
    "M8.6 5.4 L8.6 7.6 Q8.6 9.4 11 12 Q8.6 14.6 8.6 16.4 L8.6 18.6 M15.4 5.4 L15.4 7.6 Q15.4 9.4 13 12 Q15.4 14.6 15.4 16.4 L15.4 18.6",
    1.2,
  ),
  fill("M10 8.6 L14 8.6 Q13.4 10 12 11.4 Q10.6 10 10 8.6 Z"),
  fill("M9.8 17.8 L9.8 17 Q10.4 15.8 12 14.8 Q13.6 15.8 14.2 17 L14.2 17.8 Z"),
];

const HAND = SHADES.black.full;
const SHEET_FOLD = "#9AA3AD";

const PALM: readonly IconShape[] = [
  badge("black"),
  fill("M6.4 4 L14.4 4 L17.6 7.2 L17.6 20 L6.4 20 Z"),
  fill("M14.4 4 L14.4 7.2 L17.6 7.2 Z", SHEET_FOLD),
  line("M9.4 10.2 L9.4 14 M11.1 8.9 L11.1 14 M12.8 9.1 L12.8 14 M14.5 10.5 L14.5 14", 1.25, HAND),
  line("M7.6 13.4 L9.6 15.6", 1.4, HAND),
  fill("M8.8 13 L15.1 13 L15.1 15.4 Q15 18.2 12.2 18.2 Q9.9 18.2 8.9 16 Z", HAND),
];

const ICONS: Readonly<Record<IconName, Drawing>> = {
  umbrella: { alternative: "Ομπρέλα", shapes: UMBRELLA },
  exclusion: {
    alternative: "Χ μέσα σε τρίγωνο",
    shapes: [...triangle("red"), line("M9.3 11.6 L14.7 18 M14.7 11.6 L9.3 18", 2.3)],
  },
  restriction: {
    alternative: "Θαυμαστικό μέσα σε τρίγωνο",
    shapes: [...triangle("orange"), line("M12 8.8 L12 14.2", 2.5), line("M12 18.2 L12 18.3", 2.7)],
  },
  globe: { alternative: "Υδρόγειος", shapes: GLOBE },
  handshake: { alternative: "Χειραψία", shapes: HANDSHAKE },
  coins: { alternative: "Νομίσματα", shapes: COINS },
  hourglass: { alternative: "Κλεψύδρα", shapes: HOURGLASS },
  palm: { alternative: "Ανοικτή παλάμη πάνω σε έγγραφο", shapes: PALM },
};

const TICK = "M3.5 13 L9.5 19.5 L20.5 5";

const MARKS: Readonly<Record<MarkName, Drawing>> = {
  insured: { alternative: "Ασφαλίζεται", shapes: [line(TICK, 4.4, SHADES.green.full)] },
  notInsured: {
    alternative: "Δεν ασφαλίζεται",
    shapes: [line("M5 5 L19 19 M19 5 L5 19", 4.4, SHADES.red.full)],
  },
  restriction: {
    alternative: "Περιορισμός",
    shapes: [
      line("M12 2.5 L12 13", 5.6, SHADES.orange.full),
      line("M12 21.4 L12 21.5", 6, SHADES.orange.full),
    ],
  },
  where: { alternative: "Καλύπτεται", shapes: [line(TICK, 4.4, SHADES.blue.full)] },
  bullet: { alternative: "Υποχρέωση", shapes: [line("M12 12 L12 12.1", 8, SHADES.green.full)] },
};
