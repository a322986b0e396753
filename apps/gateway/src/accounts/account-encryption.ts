import type { AccountConfiguration } from "../configuration/file.ts";
import type { Encryption } from "../store/encryption.ts";
import type { StoredSecret } from "../store/record.ts";

/** The decrypted content of an account in the store: credentials, quotas and settings. */
export type StoredContent = Pick<AccountConfiguration, "credentials" | "quotas" | "settings">;

/** Encrypts an account's credentials, settings and quotas, bound to the account's id. */
export function encryptContent(
  encryption: Encryption,
  id: string,
  { credentials, quotas, settings }: StoredContent,
): StoredSecret {
  const text = JSON.stringify({ credentials, quotas, settings });
  return {
    keyId: encryption.keyId,
    encrypted: encryption.encrypt(Buffer.from(text), encryptionPlace(id)),
  };
}

/** Decrypts the content of a stored account; returns null if the key is missing or the row was changed. */
export function decryptContent(
  encryption: Encryption,
  id: string,
  stored: StoredSecret,
): StoredContent | null {
  try {
    const bytes = encryption.decrypt(stored.encrypted, stored.keyId, encryptionPlace(id));
    // This gateway checked and encrypted the content, in `encryptContent`.
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as StoredContent;
  } catch {
    return null;
  }
}

function encryptionPlace(id: string): string {
  return `account ${id}`;
}
