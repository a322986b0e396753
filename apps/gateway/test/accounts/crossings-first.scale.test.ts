import { crossMany } from "./crossings.ts";

// This file runs the first half of the 1,000,000 steps. Another file runs the second half at the same time.
crossMany("first");
