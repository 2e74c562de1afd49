/**
 * KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/
 */
import type { ExtensionPoint } from "../framework/profile.ts";
import type { Shape } from "./shape.ts";

/**
 * A KubeSchedulerConfiguration is the configuration file of kube-scheduler, as far as it is used here.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-KubeSchedulerConfiguration
 */
export interface KubeSchedulerConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly parallelism?: number;
  readonly leaderElection?: LeaderElectionConfiguration;
  readonly clientConnection?: { readonly kubeconfig?: string };
  /** 0 to 100; 0 goes by the cluster's size. */
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly KubeSchedulerProfile[];
  readonly extenders?: readonly ExtenderConfiguration[];
}

/** A LeaderElectionConfiguration has durations as Go writes them: `15s`. */
export interface LeaderElectionConfiguration {
  readonly leaderElect?: boolean;
  readonly leaseDuration?: string;
  readonly renewDeadline?: string;
  readonly retryPeriod?: string;
  readonly resourceLock?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
}

/**
 * A KubeSchedulerProfile configures the plugins for the Pods of one `schedulerName`.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-KubeSchedulerProfile
 */
export interface KubeSchedulerProfile {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Plugins;
  readonly pluginConfig?: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[];
}

/** Plugins enables and disables plugins by extension point; `multiPoint` stands for all points. */
export type Plugins = Readonly<Partial<Record<ExtensionPoint | "multiPoint", PluginSet>>>;

/** A PluginSet has the plugins that are enabled beside the defaults, in order, and those that are disabled. */
export interface PluginSet {
  readonly enabled?: readonly EnabledPlugin[];
  /** `*` for all. */
  readonly disabled?: readonly { readonly name: string }[];
}

/** An EnabledPlugin is named as it is registered. */
export interface EnabledPlugin {
  readonly name: string;
  /** Of its score; 0 is 1. */
  readonly weight?: number;
}

/**
 * An ExtenderConfiguration says how an extender is called over HTTP, and for what.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-Extender
 */
export interface ExtenderConfiguration {
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly weight?: number;
  readonly bindVerb?: string;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTls;
  /** As Go writes it. Default: `5s`. */
  readonly httpTimeout?: string;
  /** It caches the nodes itself, and gets only names. */
  readonly nodeCacheCapable?: boolean;
  readonly managedResources?: readonly { readonly name: string; readonly ignoredByScheduler?: boolean }[];
  readonly ignorable?: boolean;
}

/** An ExtenderTls has the files, or the PEM in base64, by which an extender is reached over TLS. */
export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  /** In base64, as are the two below. */
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

/** All extension points, in the order in which a scheduling cycle and its binding cycle come to them. */
export const extensionPoints: readonly ExtensionPoint[] = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "score",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
];

const plugin: Shape = { type: "Plugin", fields: { name: "string", weight: "int32" } };
const pluginSet: Shape = { type: "PluginSet", fields: { enabled: { list: plugin }, disabled: { list: plugin } } };
const points = ["multiPoint", ...extensionPoints, "placementGenerate", "placementScore"];
const texts = (...names: string[]): Record<string, Shape> => Object.fromEntries(names.map((name) => [name, "string"]));

const profile: Shape = {
  type: "KubeSchedulerProfile",
  fields: {
    schedulerName: "string",
    percentageOfNodesToScore: "int32",
    plugins: { type: "Plugins", fields: Object.fromEntries(points.map((point) => [point, pluginSet])) },
    pluginConfig: { list: { type: "PluginConfig", fields: { name: "string", args: "any" } } },
  },
};

const extender: Shape = {
  type: "Extender",
  fields: {
    ...texts("urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"),
    weight: "int64",
    enableHTTPS: "bool",
    tlsConfig: {
      type: "ExtenderTLSConfig",
      fields: { insecure: "bool", ...texts("serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData") },
    },
    httpTimeout: "duration",
    nodeCacheCapable: "bool",
    managedResources: { list: { type: "ExtenderManagedResource", fields: { name: "string", ignoredByScheduler: "bool" } } },
    ignorable: "bool",
  },
};

/** The fields of a KubeSchedulerConfiguration with their types, for strict reading. */
export const configurationFields: Readonly<Record<string, Shape>> = {
  __proto__: null as never,
  ...texts("apiVersion", "kind"),
  parallelism: "int32",
  leaderElection: {
    type: "LeaderElectionConfiguration",
    fields: {
      leaderElect: "bool",
      leaseDuration: "duration",
      renewDeadline: "duration",
      retryPeriod: "duration",
      ...texts("resourceLock", "resourceName", "resourceNamespace"),
    },
  },
  clientConnection: {
    type: "ClientConnectionConfiguration",
    fields: { ...texts("kubeconfig", "acceptContentTypes", "contentType"), qps: "float32", burst: "int32" },
  },
  enableProfiling: "bool",
  enableContentionProfiling: "bool",
  percentageOfNodesToScore: "int32",
  podInitialBackoffSeconds: "int64",
  podMaxBackoffSeconds: "int64",
  profiles: { list: profile },
  extenders: { list: extender },
  delayCacheUntilActive: "bool",
};
