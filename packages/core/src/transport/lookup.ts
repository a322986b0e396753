import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { close, open } from "node:fs";
import type { LookupFunction } from "node:net";
import { devNull } from "node:os";

/**
 * Creates the function that resolves host names for one transport. It resolves each name only once at a time: all
 * transports of the process share the few threads of the system's resolver, and one unresponsive name server must not
 * block them all.
 */
export function createLookup(): LookupFunction {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  function addressesOf(
    hostname: string,
    options: LookupOptions,
  ): Promise<readonly LookupAddress[]> {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const addresses = new Promise<readonly LookupAddress[]>((resolve, reject) => {
      lookup(hostname, { ...options, all: true }, (error, found) =>
        error === null
          ? resolve(found)
          : reportMissingDescriptor((missing) => reject(missing ?? error)),
      );
    }).finally(() => underWay.delete(key));
    underWay.set(key, addresses);
    return addresses;
  }

  return (hostname, options, callback) => {
    addressesOf(hostname, options).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/**
 * Calls back with an error if the process has no file descriptor left, otherwise with null. Without a file descriptor,
 * the system's resolver reports that the name does not exist.
 */
function reportMissingDescriptor(report: (error: NodeJS.ErrnoException | null) => void): void {
  open(devNull, (error, descriptor) => {
    if (error !== null) return report(error);
    close(descriptor);
    report(null);
  });
}
