import { createRequire } from "node:module";

/** The two font weights of the document. */
export type Face = "regular" | "bold";

/** Returns the path of a weight's TrueType file (package dejavu-fonts-ttf). */
export function fontFile(face: Face): string {
  const name = face === "bold" ? "DejaVuSans-Bold.ttf" : "DejaVuSans.ttf";
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`);
}
