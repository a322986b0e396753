import { roundTripTests } from "./harness/round-trips.ts";

roundTripTests(2_000);
