/** A DNS server for Pods, in the process of the API server and on an address of this machine. */
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import type { ApiServer } from "@coxswain/apiserver";
import type { Client } from "@coxswain/client";
import { nameServersIn, type RunningDns, type ServerAddress, startDns } from "@coxswain/dns";
import { messageOf } from "@coxswain/machinery";
import { dnsServiceAccount } from "../access/own-roles.ts";
import type { ComponentManager, InProcessComponent } from "../components/start-component.ts";
import { type ComponentDependencies, startInProcess } from "../components/start-in-process.ts";
import { systemServiceAccount } from "../in-process/in-process-callers.ts";
import { nearbyAddresses } from "./nearby-addresses.ts";

export interface DnsComponentSettings {
  /** Where it listens, which is where Pods reach it. */
  readonly addresses: readonly string[];
  /** Of the Service kube-dns. */
  readonly clusterIps: readonly string[];
  readonly clusterDomain: string;
  /** A file that names who is asked for other names; empty for nobody. */
  readonly resolvConf: string;
}

/** The same at each start, as far as it is free: rules that were written before lead to a server that is back. */
const preferredPort = 10_053;

/** It runs until it is disposed of. */
export function startDnsInProcess(
  server: Pick<ApiServer, "handle">,
  settings: DnsComponentSettings,
  dependencies: ComponentDependencies,
): InProcessComponent {
  let current: RunningDns | undefined;
  const manager = (client: Client): ComponentManager => {
    const ready = Promise.withResolvers<void>();
    // Who does not wait for it need not handle that it never comes.
    ready.promise.catch(() => undefined);
    const run = async (signal: AbortSignal): Promise<void> => {
      await using dns = await listening(settings, client, dependencies);
      current = dns;
      const { addresses, port } = dns;
      dependencies.log.info({ addresses, port }, "answering names");
      dns.synced.then(ready.resolve, ready.reject);
      await Promise.race([dns.ended, aborted(signal)]);
    };
    return { ready: ready.promise, healthy: () => current?.healthy() ?? { ok: false }, run };
  };
  const user = systemServiceAccount(dnsServiceAccount);
  const component = startInProcess(server, { name: "dns", agent: "coxswain-dns", user, manager }, dependencies);
  return { ...component, metrics: () => current?.metrics.text() ?? "" };
}

async function listening(settings: DnsComponentSettings, client: Client, dependencies: ComponentDependencies): Promise<RunningDns> {
  const { addresses, clusterIps, clusterDomain, resolvConf } = settings;
  const { clock, random, log } = dependencies;
  const servers = await nameServers(resolvConf, log);
  const on = (port: number): Promise<RunningDns> =>
    startDns({
      client,
      clock,
      random,
      log,
      listen: { addresses, port },
      mayAsk: nearbyAddresses(() => networkInterfaces(), clock),
      clusterDomain,
      forward: servers.length === 0 ? [] : [{ zone: ".", servers }],
      kubeDns: { clusterIps, addresses },
    });
  try {
    return await on(preferredPort);
  } catch (error) {
    if (!isAddressInUse(error)) throw error;
    return await on(0);
  }
}

async function nameServers(path: string, log: ComponentDependencies["log"]): Promise<readonly ServerAddress[]> {
  if (path === "") return [];
  try {
    return nameServersIn(await readFile(path, "utf8"));
  } catch (error) {
    log.warn({ path, error: messageOf(error) }, "failed to read the name servers: names outside of the cluster are not answered");
    return [];
  }
}

const isAddressInUse = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EADDRINUSE";

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
