/** Encryption at rest as the options want it: the file that they name, read and followed. */
import { readFile } from "node:fs/promises";
import { Encryption, type Log, loadEncryptionConfiguration, type ProvidersByResource } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import type { ValueTransformer } from "@coxswain/store";
import type { EncryptionSettings } from "../options/encryption-options.ts";
import { followFile } from "../process/follow-file.ts";
import { startErrorOf } from "../process/start-error.ts";

/** Follows its file until it is disposed of. */
export interface OpenEncryption extends AsyncDisposable {
  /** Undefined where nothing is encrypted. */
  readonly transformer: ValueTransformer | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/** @throws StartError for a file that cannot be used */
export async function openEncryption(settings: EncryptionSettings | undefined, at: Surroundings): Promise<OpenEncryption> {
  const stack = new AsyncDisposableStack();
  const transformer = settings === undefined ? undefined : await open(settings, at, stack);
  return { transformer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function open({ configFile: path, reload }: EncryptionSettings, at: Surroundings, stack: AsyncDisposableStack): Promise<Encryption> {
  const openKms = (): never => {
    throw new Error("key management services are not asked yet");
  };
  const parse = (text: string): Promise<ProvidersByResource> => loadEncryptionConfiguration({ path, text, reload, openKms });
  const what = "--encryption-provider-config";
  if (!reload)
    return new Encryption(
      await readFile(path, "utf8")
        .then(parse)
        .catch((error: unknown) => Promise.reject(startErrorOf(`cannot use ${what}`, error))),
    );
  const followed = stack.use(await followFile({ path, what, parse, ...at }));
  const encryption = new Encryption(followed.current);
  stack.use(followed.subscribe((providers) => encryption.replace(providers)));
  return encryption;
}
