import { createRequire } from "node:module";

/** The two weights the document is set in. */
export type Face = "regular" | "bold";

/** Where the TrueType file of a weight lies on this computer (package dejavu-fonts-ttf). */
export function fontFile(face: Face): string {
  const name = face === "bold" ? "DejaVuSans-Bold.ttf" : "DejaVuSans.ttf";
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`);
}
