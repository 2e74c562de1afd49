/** Makes the Service and its EndpointSlices, puts them right when they change, and takes the slices away in the end. */
import { type Client, endpointSlices, isAlreadyExists, isNotFound, services, sleep } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import {
  isForeign,
  isSameSlice,
  type KubeDnsOptions,
  kubeDnsEndpointSlices,
  kubeDnsName,
  kubeDnsNamespace,
  kubeDnsService,
} from "./kube-dns-service.ts";

export interface KeepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** How often it looks, and tries again. */
const intervalMs = 10_000;

/** Until the signal is aborted. */
export async function keepKubeDns(client: Client, options: KubeDnsOptions, log: KeepLog, signal: AbortSignal): Promise<void> {
  let said = "";
  const say = (level: "info" | "warn", fields: object, message: string): void => {
    const text = JSON.stringify([fields, message]);
    if (text !== said) log[level](fields, message);
    said = text;
  };
  while (!signal.aborted) {
    try {
      if (await writeKubeDns(client, options)) say("info", {}, "kube-dns is served from here");
      else say("warn", {}, "the Service kube-dns selects Pods: it is left to them");
    } catch (error) {
      if (!signal.aborted) say("warn", { error: messageOf(error) }, "failed to write the Service kube-dns");
    }
    await sleep(client.clock, intervalMs, signal).catch(() => undefined);
  }
  await removeSlices(client, options).catch((error: unknown) => {
    say("warn", { error: messageOf(error) }, "failed to remove the EndpointSlices of kube-dns");
  });
}

/** False when the Service is another's. */
export async function writeKubeDns(client: Client, options: KubeDnsOptions): Promise<boolean> {
  const inSystem = client.resource(services, kubeDnsNamespace);
  const service = (await found(inSystem.get(kubeDnsName))) ?? (await created(inSystem.create(kubeDnsService(options))));
  if (service === undefined || isForeign(service)) return false;
  const slices = client.resource(endpointSlices, kubeDnsNamespace);
  for (const slice of kubeDnsEndpointSlices(options)) {
    const name = slice.metadata?.name ?? "";
    const there = await found(slices.get(name));
    if (there === undefined) await created(slices.create(slice));
    else if (!isSameSlice(there, slice)) {
      await slices.modify(name, (now) => ({ ...slice, metadata: { ...now.metadata, ...slice.metadata } }));
    }
  }
  return true;
}

async function removeSlices(client: Client, options: KubeDnsOptions): Promise<void> {
  const slices = client.resource(endpointSlices, kubeDnsNamespace);
  for (const slice of kubeDnsEndpointSlices(options)) {
    const name = slice.metadata?.name ?? "";
    const there = await found(slices.get(name));
    if (there !== undefined && isSameSlice(there, slice)) await found(slices.delete(name));
  }
}

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Undefined when another was faster: the next look finds what that one has made. */
async function created<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
