import { crossAccounts } from "./crossings.ts";

crossAccounts(Number(process.env.ACCOUNT_STEPS ?? 400));
