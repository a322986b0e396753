import * as z from "zod";

/** A setting that is a whole number from `least` to `most`; when left out, it is `usual`. */
export function whole(least: number, most: number, usual: number) {
  return z.int().min(least).max(most).default(usual);
}
