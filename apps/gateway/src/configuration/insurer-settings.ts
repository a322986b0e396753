import { check, type Provider } from "@insurance-gateway/core/contract";
import { parameterNames } from "@insurance-gateway/core/runtime";
import type { ProviderConfiguration, SecretConfiguration } from "./file.ts";
import { secret } from "./schema/secret.ts";

/** The operator's settings for a provider's package, by name. */
export type InsurerSettings = Readonly<Record<string, unknown>>;

/**
 * Checks the settings of a provider by the schema in its package, and reads values that name an environment variable or
 * a file.
 * @param fault - called for every fault; the messages contain no value
 * @param isComplete - false if accounts may supply further settings; then only names and secrets are checked
 * @returns the settings; null if the provider uses its sandbox's settings
 */
export function insurerSettingsOf(
  { settings: schema }: Provider,
  { settings, upstream }: Pick<ProviderConfiguration, "settings" | "upstream">,
  read: (secret: SecretConfiguration, path: string) => string,
  fault: (path: string, message: string) => void,
  isComplete = true,
): InsurerSettings | null {
  if (settings === undefined && upstream === "sandbox") return null;
  if (schema === undefined) {
    if (settings !== undefined) fault("settings", "this provider has no settings");
    return {};
  }
  const names = parameterNames(schema);
  const known = Object.entries(settings ?? {}).filter(([name]) => names.includes(name));
  for (const name of Object.keys(settings ?? {}))
    if (!names.includes(name)) fault(`settings.${name}`, "is not a setting of this provider");
  const values = Object.fromEntries(
    known.map(([name, value]) => {
      const named = secret.safeParse(value);
      return [name, named.success ? read(named.data, `settings.${name}`) : value];
    }),
  );
  const checked = check(schema, values);
  if (!checked.valid && isComplete)
    for (const { message, pointer } of checked.faults)
      fault(`settings${pointer.replaceAll("/", ".")}`, message);
  return values;
}
