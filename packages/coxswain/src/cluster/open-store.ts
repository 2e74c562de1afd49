/** Where the state is kept. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kubeApiserverValues, type Log } from "@coxswain/apiserver";
import type { GrpcTls } from "@coxswain/grpc";
import { type Clock, messageOf, type RandomSource } from "@coxswain/machinery";
import { createMemoryStore, openSqliteStore, type Store, type ValueTransformer } from "@coxswain/store";
import type { EtcdSettings } from "../options/etcd-options.ts";
import { StartError } from "../process/start-error.ts";

interface StorePlace {
  readonly etcd: EtcdSettings | undefined;
  /** Undefined, and no etcd: it ends with the process. */
  readonly dataDir: string | undefined;
  readonly transformer: ValueTransformer | undefined;
}

interface StoreDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

/** @throws StorageError, StartError */
export async function openStore({ etcd, dataDir, transformer }: StorePlace, { clock, random, log }: StoreDependencies): Promise<Store> {
  if (etcd !== undefined) {
    const onProblem = (message: string, error: unknown): void => log.warn({ error }, message);
    const { servers, prefix } = etcd;
    // Most servers have none.
    const { openEtcdStore } = await import("@coxswain/store/etcd");
    const values = kubeApiserverValues(transformer);
    return await openEtcdStore({ clock, random, transformer: values, servers, prefix, tls: etcdTlsOf(etcd), onProblem });
  }
  if (dataDir === undefined) return createMemoryStore({ clock });
  // What was copied from an etcd encrypted may be kube-apiserver's.
  const values = transformer === undefined ? undefined : kubeApiserverValues(transformer);
  const path = join(dataDir, "state.db");
  if (!existsSync(path) && existsSync(`${path}.partial`))
    throw new StartError(`the state in ${dataDir} is incomplete: a copy to it has not ended; wait for that, or copy again`);
  return await openSqliteStore({ path, clock, transformer: values });
}

/**
 * What the files say at each new connection: they may be renewed while it runs.
 * @throws StartError where one cannot be read now
 */
export function etcdTlsOf({ caFile, certFile, keyFile }: EtcdSettings): () => GrpcTls {
  const pem = (name: "ca" | "cert" | "key", file: string | undefined) => (file === undefined ? {} : { [name]: readFileSync(file, "utf8") });
  const read = (): GrpcTls => ({ ...pem("ca", caFile), ...pem("cert", certFile), ...pem("key", keyFile) });
  try {
    read();
  } catch (error) {
    throw new StartError(messageOf(error), { cause: error });
  }
  return read;
}
