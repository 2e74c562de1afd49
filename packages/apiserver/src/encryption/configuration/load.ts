/** An EncryptionConfiguration, read, checked, and made into what encrypts. */
import { field, goQuote, messageOf } from "@coxswain/machinery";
import type { ProvidersByResource } from "../encryption.ts";
import { aesCbc } from "../providers/aes-cbc.ts";
import { aesGcm } from "../providers/aes-gcm.ts";
import { identityProvider } from "../providers/identity.ts";
import { type PrefixProvider, prefixProviders } from "../providers/prefixes.ts";
import type { Provider } from "../providers/provider.ts";
import {
  type EncryptionConfiguration,
  type KeysConfiguration,
  type KmsConfiguration,
  type ProviderConfiguration,
  parseEncryptionConfiguration,
} from "./document.ts";
import { formatGroupResource, parseGroupResource } from "./resource-name.ts";
import { decodeSecret, validateEncryptionConfiguration } from "./validate.ts";

/** How a file is read. */
export interface EncryptionFile {
  /** As errors call it. */
  readonly path: string;
  readonly text: string;
  /** Whether it is followed. */
  readonly reload: boolean;
  /** Makes the provider of a key management service. @throws Error where there can be none */
  readonly openKms: (kms: KmsConfiguration) => Promise<Provider>;
}

/** Makes providers of a document in YAML or JSON. @throws Error in Kubernetes' words */
export async function loadEncryptionConfiguration({ path, text, reload, openKms }: EncryptionFile): Promise<ProvidersByResource> {
  const configuration = await parse(path, text, reload).catch((error: unknown) => {
    throw new Error(`error while parsing file: ${messageOf(error)}`, { cause: error });
  });
  try {
    return await providersOf(configuration, openKms);
  } catch (error) {
    throw new Error(`error while building transformers: ${messageOf(error)}`, { cause: error });
  }
}

async function parse(path: string, text: string, reload: boolean): Promise<EncryptionConfiguration> {
  const named = `encryption provider configuration file ${goQuote(path)}`;
  if (text === "") throw new Error(`error while loading file: ${named} is empty`);
  const configuration = await parseEncryptionConfiguration(text).catch((error: unknown) => {
    throw new Error(`error decoding ${named}: ${messageOf(error)}`, { cause: error });
  });
  const errors = validateEncryptionConfiguration(configuration, reload);
  if (errors.length > 0) throw new Error(field.formatFieldErrors(errors));
  return configuration;
}

async function providersOf({ resources }: EncryptionConfiguration, openKms: EncryptionFile["openKms"]): Promise<ProvidersByResource> {
  const lists = new Map<string, PrefixProvider[]>();
  for (const { resources: names, providers } of resources ?? []) {
    const opened: PrefixProvider[] = [];
    for (const provider of providers ?? []) opened.push(await openProvider(provider, openKms));
    for (const name of names ?? []) {
      const one = parseGroupResource(name);
      for (const rule of [`*.${one.group}`, "*.*"]) {
        if (!lists.has(rule)) continue;
        const earlier = formatGroupResource({ group: rule.slice(2), resource: "*" });
        throw new Error(`resource ${goQuote(formatGroupResource(one))} is masked by earlier rule ${goQuote(earlier)}`);
      }
      const key = `${one.resource}.${one.group}`;
      lists.set(key, [...(lists.get(key) ?? []), ...opened]);
    }
  }
  return new Map([...lists].map(([key, list]) => [key, prefixProviders(nonEmpty(list), "no matching prefix found")]));
}

async function openProvider(
  { aesgcm, aescbc, secretbox, kms }: ProviderConfiguration,
  openKms: EncryptionFile["openKms"],
): Promise<PrefixProvider> {
  if (aesgcm != null) return withKeys("aesgcm", aesgcm, { make: aesGcm, called: "AES" });
  if (aescbc != null) return withKeys("aescbc", aescbc, { make: aesCbc, called: "AES" });
  if (secretbox != null) {
    // Most configurations do without it.
    const { secretbox: make } = await import("../providers/secretbox.ts");
    return withKeys("secretbox", secretbox, { make, called: "Secretbox" });
  }
  if (kms != null) return { prefix: Buffer.from(`k8s:enc:kms:v2:${kms.name}:`), provider: await openKms(kms) };
  return { prefix: new Uint8Array(), provider: identityProvider };
}

interface KeyedProvider {
  readonly make: (key: Uint8Array) => Provider;
  /** In errors. */
  readonly called: string;
}

function withKeys(name: string, { keys }: KeysConfiguration, { make, called }: KeyedProvider): PrefixProvider {
  const list = (keys ?? []).map(({ name: keyName, secret = "" }) => {
    const key = decodeSecret(secret) ?? Buffer.alloc(0);
    return { prefix: Buffer.from(`${keyName}:`), provider: make(key) };
  });
  const noMatch = `no matching key was found for the provided ${called} transformer`;
  return { prefix: Buffer.from(`k8s:enc:${name}:v1:`), provider: prefixProviders(nonEmpty(list), noMatch) };
}

/** The configuration was checked to have one at least. */
function nonEmpty<T>([first, ...others]: readonly T[]): readonly [T, ...T[]] {
  if (first === undefined) throw new Error("there is no provider");
  return [first, ...others];
}
