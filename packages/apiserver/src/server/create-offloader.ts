/** The thread for heavy requests, as a server has it: with what the server itself is made with now. */
import type { Clock } from "@coxswain/machinery";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import type { ContentProvider } from "../contracts/content-provider.ts";
import type { KubeletOptions } from "../contracts/kubelet-options.ts";
import { Offloader } from "../offload/offloader.ts";
import type { OffloadThreadOptions } from "../offload/protocol.ts";
import { type OffloadHost, OffloadThreadHandle } from "../offload/thread-handle.ts";
import type { OwnAddress } from "./own-address.ts";

interface OffloaderOptions extends Omit<OffloadThreadOptions, "authority" | "kubelets" | "ownAddress"> {
  readonly authority: ContentProvider<ClusterAuthority> | undefined;
  readonly kubelets: KubeletOptions | undefined;
  readonly ownAddress: OwnAddress;
  /** Called for definitions that the thread has written objects for, by an older state of theirs. */
  readonly onOutdated: OffloadHost["onOutdated"];
  readonly requestTimeoutMs: number | undefined;
  readonly clock: Clock;
}

/** What the thread runs: the source, or what was made of it. */
const script = new URL(`./offload-thread.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

export const offloaderFor =
  ({ authority, kubelets, ownAddress, onOutdated, requestTimeoutMs, clock, ...thread }: OffloaderOptions) =>
  (host: Omit<OffloadHost, "onOutdated">): Offloader => {
    const { connect: _connect, credentials, ...remote } = kubelets ?? {};
    const options = (): OffloadThreadOptions => ({
      ...thread,
      authority: authority?.current,
      ownAddress: ownAddress.current,
      kubelets: kubelets === undefined ? undefined : { ...remote, credentials: credentials?.current ?? {} },
    });
    const offloader = new Offloader(() => new OffloadThreadHandle(script, { ...host, onOutdated }, options()), clock, requestTimeoutMs);
    for (const source of [authority, credentials]) source?.subscribe(() => offloader.renew());
    return offloader;
  };
