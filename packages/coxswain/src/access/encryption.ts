/** Encryption at rest as the options want it: the file that they name, read and followed. */
import { readFile } from "node:fs/promises";
import {
  Encryption,
  type HealthCheck,
  type KmsConfiguration,
  KmsProvider,
  kmsTimeoutMs,
  type Log,
  loadEncryptionConfiguration,
  type Metrics,
  type ProvidersByResource,
} from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import { defaultKeyRoot, keyRootOf, type ValueTransformer } from "@coxswain/store";
import type { EncryptionSettings } from "../options/encryption-options.ts";
import { followFile } from "../process/follow-file.ts";
import { startErrorOf } from "../process/start-error.ts";

/** Follows its file, and keeps asking key management services, until it is disposed of. */
export interface OpenEncryption extends AsyncDisposable {
  /** Undefined where nothing is encrypted. */
  readonly transformer: ValueTransformer | undefined;
  /** Of key management services: one for all. Where the file is followed it is there without any, as in Kubernetes. */
  readonly healthChecks: readonly HealthCheck[];
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Of the etcd that values are stored in; values are bound to their keys there. */
  readonly etcdPrefix?: string | undefined;
  readonly metrics: Pick<Metrics, "kms"> & { readonly access: Pick<Metrics["access"], "encryptionConfig"> };
}

const what = "--encryption-provider-config";

/** @throws StartError for a file that cannot be used */
export async function openEncryption(settings: EncryptionSettings | undefined, at: Surroundings): Promise<OpenEncryption> {
  const stack = new AsyncDisposableStack();
  try {
    const opened = settings === undefined ? { transformer: undefined, healthChecks: [] } : await open(settings, at, stack);
    return { ...opened, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type Opened = Pick<OpenEncryption, "transformer" | "healthChecks">;

async function open({ configFile: path, reload }: EncryptionSettings, at: Surroundings, stack: AsyncDisposableStack): Promise<Opened> {
  const { clock, etcdPrefix = defaultKeyRoot } = at;
  const root = keyRootOf(etcdPrefix);
  const { encryptionConfig } = at.metrics.access;
  let services: KmsProvider[] = [];
  let isFirst = true;
  const parse = async (text: string): Promise<ProvidersByResource> => {
    const opened: KmsProvider[] = [];
    const openKms = async (kms: KmsConfiguration): Promise<KmsProvider> => {
      const provider = await startKms(kms, at, stack);
      // A start does not wait for a service; a file that changes must not take away what can be written.
      if (!isFirst && provider.failure !== undefined) throw new Error(provider.failure);
      opened.push(provider);
      return provider;
    };
    const providers = await loadEncryptionConfiguration({ path, text, reload, openKms });
    services = opened;
    if (isFirst) encryptionConfig.start(text);
    else encryptionConfig.succeed(text, clock.now() / 1000);
    isFirst = false;
    return providers;
  };
  const ok = (): boolean => services.every(({ failure }) => failure === undefined);
  // Not of livez: a restart mends no service.
  const checks = (["healthz", "readyz"] as const).map((only): HealthCheck => ({ name: "kms-providers", only, ok }));
  if (!reload) {
    const transformer = new Encryption(await parseOnce(path, parse), root);
    return { transformer, healthChecks: services.length === 0 ? [] : checks };
  }
  const onFailure = (): void => encryptionConfig.fail(clock.now() / 1000);
  const followed = stack.use(await followFile({ path, what, parse, onFailure, ...at }));
  const transformer = new Encryption(followed.current, root);
  stack.use(followed.subscribe((providers) => transformer.replace(providers)));
  return { transformer, healthChecks: checks };
}

async function parseOnce<T>(path: string, parse: (text: string) => Promise<T>): Promise<T> {
  try {
    return await parse(await readFile(path, "utf8"));
  } catch (error) {
    throw startErrorOf(`cannot use ${what}`, error);
  }
}

/** Those of a file that has changed stay open until the end: reads may still wait for them. */
async function startKms(kms: KmsConfiguration, { clock, log, metrics }: Surroundings, stack: AsyncDisposableStack): Promise<KmsProvider> {
  if (kms.apiVersion !== "v2") {
    const deprecated = "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.";
    throw new Error(`${deprecated}  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.`);
  }
  const [{ connectKms }, { observedKms }] = await Promise.all([import("./kms-service.ts"), import("./observed-kms.ts")]);
  const service = stack.use(connectKms(kms.endpoint ?? "", { clock, timeoutMs: kmsTimeoutMs(kms) }));
  const { name = "" } = kms;
  const onFailure = (error: string): void => log.error({ name, error }, "failed to probe a key management service");
  const provider = stack.use(new KmsProvider(name, observedKms(name, service, { clock, metrics }), { clock, onFailure }));
  await provider.start();
  return provider;
}
