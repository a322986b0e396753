import { crossAccounts } from "./crossings.ts";

crossAccounts("SQLite", Number(process.env.ACCOUNT_STEPS ?? 400));
