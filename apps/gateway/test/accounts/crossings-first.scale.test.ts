import { crossMany } from "./crossings.ts";

// Half a million steps, beside the other half.
crossMany("first");
