import { describe } from "vitest";
import { chaosTests } from "./chaos-tests.ts";
import { sqlitePlace } from "./place.ts";

describe("one gateway with SQLite", () => {
  chaosTests(async () => sqlitePlace);
});
