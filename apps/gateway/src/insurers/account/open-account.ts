import type { FetchResult } from "@insurance-gateway/core/auth";
import type { Provider } from "@insurance-gateway/core/contract";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { type AccountContent, defaultAccount } from "../../configuration/account.ts";
import type { Observation } from "../../events.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import { type AcquiredResource, createSharedResources } from "../../shared.ts";
import type { ReadAnswer } from "../answers/read-answer.ts";
import type { AccountCall, OpenedAccount, Step, UpstreamCall } from "../call.ts";
import {
  credentialsDigestOf,
  type OpenedCredentials,
  openAccountCredentials,
} from "../credentials/open.ts";
import type { InsurerAccess } from "../insurer-access.ts";
import type { Retries } from "../resilience/retries.ts";
import { createCredentialsGate } from "./credentials-gate.ts";
import type { AccountPool, OpenAccount } from "./open-accounts.ts";

/** The insurer's settings after one reload, with the parts that all accounts share; the next reload replaces them. */
export interface InsurerGeneration {
  /** The insurer with the credentials and settings of the default account. */
  readonly insurer: InsurerAccess;
  /** The credentials and settings of the accounts in the configuration file, by account id. */
  readonly contents: ReadonlyMap<string, AccountContent>;
  readonly transport: ConnectionTransport;
  readonly readAnswer: ReadAnswer;
}

/** An account that calls use. It stays the same object when a reload changes the settings. */
interface OpenInsurerAccount extends OpenAccount {
  readonly id: string;
  /** Returns the account's objects for calls with the settings of one generation. */
  with(generation: InsurerGeneration): OpenedAccount;
  /** Closes the objects that only this generation's calls use; later calls must not use the generation. */
  leave(generation: InsurerGeneration): Promise<void>;
  /** Returns the credentials for new calls; null before the first call with the newest settings. */
  credentials(): OpenedCredentials | null;
  /** Returns the number of connections to token servers that are in use. */
  underWay(): number;
  /** Reports whether the insurer, or its token server, refuses the credentials now. */
  isRefused(): boolean;
}

/** Arguments of `openAccount`. */
interface OpenAccountParts {
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Returns milliseconds since an arbitrary instant; no correction of the clock changes them. */
  readonly now: () => number;
  readonly observation: Pick<Observation, "tokenFetched">;
  /** Called when the insurer or its token server accepts an account's credentials again. */
  readonly recovered: (segment: string, account: string) => void;
  readonly id: string;
  /** The credentials and settings that were read when the account was opened; null for the default account. */
  readonly content: AccountContent | null;
  readonly provider: Provider;
  readonly segment: string;
  readonly retries: Retries;
  /** Returns the generation with the newest settings. */
  readonly newest: () => InsurerGeneration;
}

/** An account's objects for the calls with one generation of the settings. */
interface GenerationParts {
  readonly opened: OpenedAccount;
  readonly credentials: AcquiredResource<OpenedCredentials>;
}

/** Opens an account, with credentials, a retry budget and a gate that it shares with no other account. */
export function openAccount(parts: OpenAccountParts): OpenInsurerAccount {
  const { content, id, logger, newest, now, observation, provider, recovered, segment } = parts;
  const names = {
    provider: provider.id,
    segment,
    ...(id === defaultAccount ? {} : { account: id }),
  };
  const allCredentials = createSharedResources<OpenedCredentials>();
  const partsByGeneration = new Map<InsurerGeneration, GenerationParts>();
  let isRefusedByInsurer = false;
  let lastFetch: FetchResult = "fetched";
  const fetched = (result: FetchResult): void => {
    observation.tokenFetched({ segment }, result);
    if (result !== "fetched")
      logger.warn({ ...names, reason: result }, "an insurer's token cannot be fetched");
    else if (lastFetch !== "fetched") recovered(segment, id);
    lastFetch = result;
  };
  const gate = createCredentialsGate({
    now,
    refused() {
      isRefusedByInsurer = true;
      logger.warn(names, "an insurer refuses an account's credentials");
    },
    recovered() {
      isRefusedByInsurer = false;
      logger.info(names, "an insurer accepts an account's credentials again");
      recovered(segment, id);
    },
  });

  function takeCredentials(
    insurer: InsurerAccess,
    isNewest: boolean,
  ): AcquiredResource<OpenedCredentials> {
    const taken = allCredentials.acquireItem(credentialsDigestOf(insurer), () => {
      const made: OpenedCredentials = openAccountCredentials({
        insurer,
        now,
        fetched,
        isReplaced: () => partsOf(newest()).credentials.item !== made,
      });
      return made;
    });
    // Only the newest generation renews the secrets: the account's first request may be of an older generation.
    if (isNewest) {
      taken.item.renew(insurer.credentials);
      gate.credentialsReplaced();
    }
    return taken;
  }

  function partsOf(generation: InsurerGeneration): GenerationParts {
    const known = partsByGeneration.get(generation);
    if (known !== undefined) return known;
    const insurer = insurerOf(id, generation, content);
    const credentials = takeCredentials(insurer, generation === newest());
    const { readAnswer, transport } = generation;
    const opened: OpenedAccount = {
      insurer,
      transport,
      readAnswer,
      credentials: credentials.item,
      gate,
      retries: parts.retries,
      newest: () => partsOf(newest()).opened,
    };
    const made = { opened, credentials };
    partsByGeneration.set(generation, made);
    return made;
  }

  async function leave(generation: InsurerGeneration): Promise<void> {
    const made = partsByGeneration.get(generation);
    partsByGeneration.delete(generation);
    await made?.credentials.release();
  }

  const isRefused = (): boolean => isRefusedByInsurer || lastFetch === "refused";
  return {
    id,
    with: (generation) => partsOf(generation).opened,
    leave,
    credentials: () => partsByGeneration.get(newest())?.credentials.item ?? null,
    underWay: () => allCredentials.all().reduce((sum, one) => sum + one.underWay(), 0),
    isRefused,
    // A closed account would forget the refusal, and the outcome of its next submission could become unknown.
    isNeeded: isRefused,
    async close() {
      await Promise.all([...partsByGeneration.keys()].map(leave));
    },
  };
}

/** Returns the insurer with the credentials and settings of an account in place of the default account's. */
function insurerOf(
  id: string,
  { contents, insurer }: InsurerGeneration,
  read: AccountContent | null,
): InsurerAccess {
  if (id === defaultAccount) return insurer;
  const content = contents.get(id) ?? read;
  return {
    ...insurer,
    credentials: content?.credentials ?? insurer.credentials,
    settings: content?.settings ?? insurer.settings,
  };
}

/** Arguments of `useAccount`. */
export interface UseAccountParts {
  readonly accounts: AccountPool<OpenInsurerAccount>;
  /** The settings of the calls that use this step. */
  readonly generation: InsurerGeneration;
}

/** Opens the account of each call, and keeps the account open until the call has ended. */
export function useAccount({
  accounts,
  generation,
}: UseAccountParts): Step<UpstreamCall, AccountCall> {
  return (next) => async (endpoint, call) => {
    const account = accounts.hold(call.account);
    try {
      // The account is usually open already; then the call does not wait for a promise.
      const open = account.opened ?? (await account.ready());
      const opened: OpenedAccount = open.with(generation);
      return await next(endpoint, { ...call, opened });
    } finally {
      account.release();
    }
  };
}
