/** What the server's thread and a thread of components say to each other, beside the requests of these. Messages arrive in their order. */
import type { MessagePort } from "node:worker_threads";
import type { ControllerSettings } from "@coxswain/controllers";
import type { KeyPair, ServedNames } from "@coxswain/pki/node";
import type { PodExplanation } from "@coxswain/scheduler";
import type { ChosenNodes } from "../nodes/start-connected-nodes.ts";
import type { LogOptions } from "../options/log-options.ts";
import type { CallOf, FromAnyThread } from "./worker-thread.ts";

/** Those that can have a thread, in the order in which they are started. */
export const threadComponents = ["controllers", "scheduler", "nodes"] as const;
export type ThreadComponent = (typeof threadComponents)[number];

/** What a thread starts with. */
export interface ThreadSettings {
  /** For requests. */
  readonly port: MessagePort;
  readonly logLevel: LogOptions["logLevel"];
  readonly controllers: ControllersOfThread | undefined;
  readonly scheduler: SchedulerOfThread | undefined;
  readonly nodes: NodesOfThread | undefined;
}

export interface ControllersOfThread extends Pick<ControllerSettings, "nodeIpam"> {
  readonly choice: readonly string[];
  readonly isElected: boolean;
  /** In PEM. */
  readonly rootCa: string;
}

export interface SchedulerOfThread {
  /** Of its configuration, which is known to make sense: plugins are code, and loaded where they run. */
  readonly configFile: string | undefined;
  readonly isElected: boolean;
}

export interface NodesOfThread
  extends Pick<ChosenNodes, "options" | "chosen" | "rootDir" | "ipFamilies" | "kubeletVersion" | "address" | "masterService"> {
  /** In PEM. */
  readonly clientAuthority: string;
}

/** What may change while the thread runs. */
export interface Contents {
  readonly rootCa: string;
  readonly clientAuthority: string;
  /** With what the kubelet's server serves. */
  readonly kubeletServing: KeyPair;
}

export type Content = { [N in keyof Contents]: { readonly name: N; readonly value: Contents[N] } }[keyof Contents];

/** What the server asks of a thread. */
export interface ThreadCalls {
  healthy(component: ThreadComponent): boolean;
  metrics(component: ThreadComponent): string;
  explain(namespace: string, pod: string): PodExplanation | undefined;
  /** Answered, by nothing, when it has ended. */
  stop(component: ThreadComponent): undefined;
}

export type ThreadCall = CallOf<ThreadCalls>;

export type ToThread =
  | { readonly kind: "call"; readonly id: number; readonly call: ThreadCall }
  | ({ readonly kind: "content" } & Content)
  /** All has been stopped: the thread ends. */
  | { readonly kind: "end" };

/** Answered by the content `kubeletServing`. */
export interface OwnFromThread {
  readonly kind: "credentials";
  readonly node: string;
  readonly names: ServedNames;
}

export type FromThread = FromAnyThread | OwnFromThread;
