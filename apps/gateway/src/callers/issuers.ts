import { createTransport } from "@insurance-gateway/core/transport";
import type { IssuerConfiguration } from "../configuration/file.ts";
import type { Configuration } from "../configuration/load.ts";
import type { Observation } from "../events.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { type Closable, createSharedResources } from "../shared.ts";
import type { Time } from "../time.ts";
import { type DevelopmentIssuer, openDevelopmentIssuer } from "./development-issuer.ts";
import type { Issuer } from "./issuer.ts";
import { createKeySet, type KeySet } from "./key-set.ts";

/** The issuers whose tokens the gateway accepts until the next reload. */
export interface TrustedIssuers {
  readonly all: readonly Issuer[];
  /** The development issuer if no other issuer is configured; otherwise null. */
  readonly development: DevelopmentIssuer | null;
  /** Closes the connections that fetch issuers' keys and that no other generation of the settings uses. */
  close(): Promise<void>;
}

/** Arguments of `createIssuers`. */
export interface IssuersParts {
  readonly time: Time;
  readonly logger: Pick<Logger, "warn">;
  readonly observation: Pick<Observation, "issuerKeyRefused" | "issuerKeysFailed">;
}

/** Opens the issuers of each configuration that the gateway loads. */
export type Issuers = ReturnType<typeof createIssuers>;

/** An issuer with the connections for fetching its keys. */
interface OpenedIssuer extends Closable {
  readonly issuer: Issuer;
}

/** Creates the opener of a gateway's issuers. */
export function createIssuers(parts: IssuersParts) {
  const keySets = createSharedResources<OpenedKeys>();
  const issuers = createSharedResources<OpenedIssuer>();
  const openOne = (configuration: IssuerConfiguration): OpenedIssuer => {
    const { jwksUri, ...settings } = configuration;
    const { item, release } = keySets.acquireItem(JSON.stringify([settings.issuer, jwksUri]), () =>
      openKeys(configuration, parts),
    );
    const issuer: Issuer = {
      ...settings,
      scopesRequired: settings.scopesRequired ?? false,
      findKey: (header) => item.findKey(header),
      hasKey: (id) => item.hasKey(id),
    };
    return { issuer, close: release };
  };
  let development: DevelopmentIssuer | null = null;
  return {
    /**
     * Opens the issuers of a configuration, or the development issuer if the configuration has no issuer. An issuer
     * with unchanged settings keeps its keys and its verified tokens.
     */
    async open(configuration: Configuration): Promise<TrustedIssuers> {
      if (configuration.issuers.length === 0) {
        development ??= await openDevelopmentIssuer(configuration.data);
        return { all: [development], development, close: async () => {} };
      }
      const taken = configuration.issuers.map((one) =>
        issuers.acquireItem(JSON.stringify(one), () => openOne(one)),
      );
      return {
        all: taken.map(({ item }) => item.issuer),
        development: null,
        async close() {
          await Promise.all(taken.map(({ release }) => release()));
        },
      };
    },
    /**
     * Fetches the keys of every issuer now, so that the gateway stops trusting withdrawn keys. Failures are logged.
     */
    async fetchKeys(): Promise<void> {
      await Promise.all(keySets.all().map(({ fetchKeys }) => fetchKeys()));
    },
  };
}

interface OpenedKeys extends KeySet, Closable {}

function openKeys(
  { issuer, jwksUri }: IssuerConfiguration,
  { logger, observation, time }: IssuersParts,
): OpenedKeys {
  const transport = createTransport({ origins: [new URL(jwksUri).origin] });
  const keys = createKeySet({
    url: jwksUri,
    transport,
    time,
    fetchFailed: ({ fault }) => {
      observation.issuerKeysFailed(issuer);
      logger.warn({ issuer, reason: fault }, "an issuer's keys cannot be fetched");
    },
    keyRefused: (fault) => {
      observation.issuerKeyRefused(issuer, fault);
      logger.warn({ issuer, reason: fault }, "a key of an issuer is too weak");
    },
  });
  return { ...keys, close: () => transport.close() };
}
