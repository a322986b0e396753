import * as z from "zod";

/** Returns the schema of a whole number from `least` to `most`, with the default `usual`. */
export function whole(least: number, most: number, usual: number) {
  return z.int().min(least).max(most).default(usual);
}
