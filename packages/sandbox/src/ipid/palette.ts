/** Accent colours of the sections. Regulation (EU) 2017/1469 fixes the colour of each icon (article 7). */
export type Tone = "green" | "red" | "orange" | "blue" | "yellow" | "black";

/** Colours of a tone: the full colour for icons and marks, a pale tint for backgrounds, a dark shade for headings. */
export interface Shades {
  readonly full: string;
  readonly tint: string;
  readonly dark: string;
}

/** The shades of every tone; `dark` on `tint` has a contrast of at least 4.5 to 1. */
export const SHADES: Readonly<Record<Tone, Shades>> = {
  green: { full: "#1E8449", tint: "#EAF5EE", dark: "#14532D" },
  red: { full: "#C62828", tint: "#FBECEC", dark: "#8B1A1A" },
  orange: { full: "#E67700", tint: "#FDF2E3", dark: "#8A4300" },
  blue: { full: "#1C6DB5", tint: "#E9F1FA", dark: "#123F6B" },
  yellow: { full: "#D99A00", tint: "#FDF6DF", dark: "#6B4A00" },
  black: { full: "#1A1A1A", tint: "#EFF1F3", dark: "#1A1A1A" },
};

/** Colours outside the sections. */
export const INK_COLOURS = {
  text: "#1C2733",
  muted: "#52606D",
  hairline: "#CBD3DC",
  band: "#123A5C",
  bandLabel: "#BFD3E6",
  white: "#FFFFFF",
} as const;
