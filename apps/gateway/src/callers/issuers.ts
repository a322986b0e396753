import { createTransport } from "@insurance-gateway/core/transport";
import type { IssuerConfiguration } from "../configuration/file.ts";
import type { Configuration } from "../configuration/load.ts";
import type { Observation } from "../events.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { type Closable, createShared } from "../shared.ts";
import type { Time } from "../time.ts";
import { type DevelopmentIssuer, openDevelopmentIssuer } from "./development-issuer.ts";
import type { Issuer } from "./issuer.ts";
import { createKeySet, type KeySet } from "./key-set.ts";

/** The issuers whose tokens are accepted until the next reload. */
export interface TrustedIssuers {
  readonly all: readonly Issuer[];
  /** The development issuer where it is the only one, else null. */
  readonly development: DevelopmentIssuer | null;
  /** Closes the connections for keys that no other generation uses. */
  close(): Promise<void>;
}

/** The parts of the issuers. */
export interface IssuersParts {
  readonly time: Time;
  readonly logger: Pick<Logger, "warn">;
  readonly observation: Pick<Observation, "issuerKeyRefused" | "issuerKeysFailed">;
}

/** The issuers of a gateway, through every change of the settings. */
export type Issuers = ReturnType<typeof createIssuers>;

/** An issuer with the connections that its keys are fetched on. */
interface OpenedIssuer extends Closable {
  readonly issuer: Issuer;
}

/** Prepares the issuers of a gateway. */
export function createIssuers(parts: IssuersParts) {
  const keySets = createShared<OpenedKeys>();
  const issuers = createShared<OpenedIssuer>();
  const openOne = (configuration: IssuerConfiguration): OpenedIssuer => {
    const { jwksUri, ...settings } = configuration;
    const { item, release } = keySets.takeItem(JSON.stringify([settings.issuer, jwksUri]), () =>
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
     * The issuers of a configuration; without any, the development issuer, which production refuses. One whose settings are
     * as they were before is the same one: its keys and the tokens that were verified with them are still known.
     */
    async open(configuration: Configuration): Promise<TrustedIssuers> {
      if (configuration.issuers.length === 0) {
        development ??= await openDevelopmentIssuer(configuration.data);
        return { all: [development], development, close: async () => {} };
      }
      const taken = configuration.issuers.map((one) =>
        issuers.takeItem(JSON.stringify(one), () => openOne(one)),
      );
      return {
        all: taken.map(({ item }) => item.issuer),
        development: null,
        async close() {
          await Promise.all(taken.map(({ release }) => release()));
        },
      };
    },
    /** Fetches the keys of every issuer now, so that one that was withdrawn counts no longer. Failures are reported as always. */
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
