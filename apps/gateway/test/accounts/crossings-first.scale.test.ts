import { crossMany } from "./crossings.ts";

// The first half of the 1,000,000 steps; another file runs the second half at the same time.
crossMany("first");
