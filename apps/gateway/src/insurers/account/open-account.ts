import type { FetchResult } from "@insurance-gateway/core/auth";
import type { Provider } from "@insurance-gateway/core/contract";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { type AccountContent, defaultAccount } from "../../configuration/account.ts";
import type { Observation } from "../../events.ts";
import type { Logger } from "../../operator/logging/logger.ts";
import { type AcquiredResource, createSharedResources } from "../../shared.ts";
import type { ReadAnswer } from "../answers/read-answer.ts";
import type { AccountCall, OpenedAccount, Step, UpstreamCall } from "../call.ts";
import { identityOf, type OpenedCredentials, openCredentials } from "../credentials/open.ts";
import type { InsurerAccess } from "../insurer-access.ts";
import type { Retries } from "../resilience/retries.ts";
import { createCredentialsGate } from "./credentials-gate.ts";
import type { OpenAccount, OpenAccounts } from "./open-accounts.ts";

/** The parts for calls of every account to an insurer; a reload replaces them. */
export interface InsurerGeneration {
  /** The insurer as the default account reaches it. */
  readonly insurer: InsurerAccess;
  /** The content of the accounts of the configuration file, by id. */
  readonly contents: ReadonlyMap<string, AccountContent>;
  readonly transport: ConnectionTransport;
  readonly readAnswer: ReadAnswer;
}

/** One account to an insurer while it is in use, through every change of the settings. */
interface OpenInsurerAccount extends OpenAccount {
  readonly id: string;
  /** Returns what it is called with by the settings of a generation. */
  with(generation: InsurerGeneration): OpenedAccount;
  /** Closes what only a generation uses: nothing is called with it any more. */
  leave(generation: InsurerGeneration): Promise<void>;
  /** The credentials that calls use now; null when none has been made with the newest settings. */
  credentials(): OpenedCredentials | null;
  /** How many connections to token servers are in use. */
  underWay(): number;
  /** Whether the insurer, or its token server, refuses its credentials now. */
  isRefused(): boolean;
}

/** The parts for opening an account. */
interface OpenAccountParts {
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  readonly observation: Pick<Observation, "tokenFetched">;
  /** Called when the insurer, or its token server, takes the credentials of the account again. */
  readonly recovered: (segment: string, account: string) => void;
  readonly id: string;
  /** The content as it was read when the account was opened; null for the default account. */
  readonly content: AccountContent | null;
  readonly provider: Provider;
  readonly segment: string;
  readonly retries: Retries;
  /** The generation whose settings count now. */
  readonly newest: () => InsurerGeneration;
}

/** An account's parts of one generation. */
interface Way {
  readonly opened: OpenedAccount;
  readonly credentials: AcquiredResource<OpenedCredentials>;
}

/** Opens an account: its credentials, its retries and its gate for submissions. Nothing of it is another account's. */
export function openAccount(parts: OpenAccountParts): OpenInsurerAccount {
  const { content, id, logger, newest, now, observation, provider, recovered, segment } = parts;
  const names = {
    provider: provider.id,
    segment,
    ...(id === defaultAccount ? {} : { account: id }),
  };
  const allCredentials = createSharedResources<OpenedCredentials>();
  const ways = new Map<InsurerGeneration, Way>();
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
    const taken = allCredentials.acquireItem(identityOf(insurer), () => {
      const made: OpenedCredentials = openCredentials({
        insurer,
        now,
        fetched,
        isReplaced: () => wayOf(newest()).credentials.item !== made,
      });
      return made;
    });
    // A request that began before a reload may be the first to use the account; it then has the old secrets.
    if (isNewest) {
      taken.item.renew(insurer.credentials);
      gate.credentialsReplaced();
    }
    return taken;
  }

  function wayOf(generation: InsurerGeneration): Way {
    const known = ways.get(generation);
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
      newest: () => wayOf(newest()).opened,
    };
    const way = { opened, credentials };
    ways.set(generation, way);
    return way;
  }

  async function leave(generation: InsurerGeneration): Promise<void> {
    const way = ways.get(generation);
    ways.delete(generation);
    await way?.credentials.release();
  }

  const isRefused = (): boolean => isRefusedByInsurer || lastFetch === "refused";
  return {
    id,
    with: (generation) => wayOf(generation).opened,
    leave,
    credentials: () => ways.get(newest())?.credentials.item ?? null,
    underWay: () => allCredentials.all().reduce((sum, one) => sum + one.underWay(), 0),
    isRefused,
    // The next submission would find it out again, with an unknown outcome.
    isNeeded: isRefused,
    async close() {
      await Promise.all([...ways.keys()].map(leave));
    },
  };
}

/** The insurer as an account reaches it. */
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

/** The parts of the step that chooses the account. */
export interface UseAccountParts {
  readonly accounts: OpenAccounts<OpenInsurerAccount>;
  /** The settings of the calls. */
  readonly generation: InsurerGeneration;
}

/** Opens the account of a call, and keeps it open until the call ends. */
export function useAccount({
  accounts,
  generation,
}: UseAccountParts): Step<UpstreamCall, AccountCall> {
  return (next) => async (endpoint, call) => {
    const account = accounts.hold(call.account);
    try {
      // Most calls find it open, so that they wait for nothing.
      const open = account.opened ?? (await account.ready());
      const opened: OpenedAccount = open.with(generation);
      return await next(endpoint, { ...call, opened });
    } finally {
      account.release();
    }
  };
}
