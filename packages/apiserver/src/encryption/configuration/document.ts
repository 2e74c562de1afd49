/**
 * EncryptionConfiguration of apiserver.config.k8s.io.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-EncryptionConfiguration
 */
import { compileTypes } from "@coxswain/machinery";
import { decodeConfiguration } from "../../configuration/decode-configuration.ts";

/** How resources are encrypted where they are stored. */
export interface EncryptionConfiguration {
  readonly resources?: readonly ResourceConfiguration[] | null;
}

/** Resources with the ways in which they are encrypted: the first writes, all read. */
export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` and `*.*`. */
  readonly resources?: readonly string[] | null;
  readonly providers?: readonly ProviderConfiguration[] | null;
}

/** One way: one of the fields. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration | null;
  readonly aescbc?: KeysConfiguration | null;
  readonly secretbox?: KeysConfiguration | null;
  readonly identity?: object | null;
  readonly kms?: KmsConfiguration | null;
}

/** The keys of a way that has some: the first writes, all read. */
export interface KeysConfiguration {
  readonly keys?: readonly KeyConfiguration[] | null;
}

/** A key with its name, which values that it has encrypted carry. */
export interface KeyConfiguration {
  readonly name?: string;
  /** In base64. */
  readonly secret?: string;
}

/** A key management service. */
export interface KmsConfiguration {
  readonly apiVersion?: string;
  readonly name?: string;
  readonly cachesize?: number | null;
  readonly endpoint?: string;
  /** As Go writes durations. */
  readonly timeout?: string | null;
}

const group = "apiserver.config.k8s.io";

/** Reads a document, of which nothing may be unknown. @throws Error in Kubernetes' words */
export async function parseEncryptionConfiguration(text: string): Promise<EncryptionConfiguration> {
  return (await decodeConfiguration(text, {
    kind: "EncryptionConfiguration",
    apiVersions: new Set([`${group}/v1`]),
    type: types.get(struct("EncryptionConfiguration")),
    others: [],
    secret: true,
  })) as EncryptionConfiguration;
}

const struct = (name: string): string => `io.k8s.apiserver.v1.${name}`;
const text = { type: "string" };
const optional = { type: "string", go: "omit" };
const keys = { type: struct("KeysConfiguration"), go: "pointer" };

/** As `scripts/generate-api-types.ts` writes the facts of what is served. */
const types = compileTypes({
  configuration: {
    [struct("EncryptionConfiguration")]: {
      fields: { kind: optional, apiVersion: optional, resources: { type: `[${struct("ResourceConfiguration")}]` } },
    },
    [struct("ResourceConfiguration")]: {
      fields: { resources: { type: "[string]" }, providers: { type: `[${struct("ProviderConfiguration")}]` } },
    },
    [struct("ProviderConfiguration")]: {
      fields: {
        aesgcm: keys,
        aescbc: keys,
        secretbox: keys,
        identity: { type: struct("IdentityConfiguration"), go: "pointer" },
        kms: { type: struct("KMSConfiguration"), go: "pointer" },
      },
    },
    [struct("KeysConfiguration")]: { fields: { keys: { type: `[${struct("Key")}]` } } },
    [struct("Key")]: { fields: { name: text, secret: text } },
    [struct("IdentityConfiguration")]: { fields: {} },
    [struct("KMSConfiguration")]: {
      fields: {
        apiVersion: text,
        name: text,
        cachesize: { type: "integer:int32", go: "pointer" },
        endpoint: text,
        timeout: { type: "string", go: "pointer" },
      },
    },
  },
});
