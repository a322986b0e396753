import { roundTripTests } from "./harness/round-trips.ts";

roundTripTests(500);
