import { crossMany } from "./crossings.ts";

// The second half of the 1,000,000 steps; another file runs the first half at the same time.
crossMany("second");
