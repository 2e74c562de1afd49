/** From a configuration, as a file has it or as a value, to what a scheduler is made of. */
import { field, goQuote, parseGoDuration } from "@coxswain/machinery";
import type { Extender } from "../framework/extender.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import type { ProfileSpec } from "../framework/profile.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { pluginFactories } from "../plugins/registry.ts";
import { argsFields, argsReaders } from "./args.ts";
import { bounded } from "./bounded-plugin.ts";
import { SchedulerConfigError } from "./config-error.ts";
import type { SchedulerDefinition } from "./define-scheduler.ts";
import { configurationFields, type ExtenderConfiguration, type KubeSchedulerConfiguration, type KubeSchedulerProfile } from "./document.ts";
import { mergePlugins } from "./merge-plugins.ts";
import { checkShape, isRecord, type Shape, unknownFields } from "./shape.ts";
import { validateConfiguration } from "./validate.ts";

/** A SchedulerConfig is a configuration with its defaults applied and its profiles resolved. */
export interface SchedulerConfig {
  readonly profiles: readonly ProfileSpec[];
  readonly podInitialBackoffMs: number;
  readonly podMaxBackoffMs: number;
  readonly extenders: readonly (ExtenderConfiguration | Extender)[];
  readonly leaderElection: LeaderElection;
  /** Where the file says how to reach the cluster. */
  readonly kubeconfig: string | undefined;
}

/** A LeaderElection says whether schedulers elect a leader, by which Lease, and with which periods. */
export interface LeaderElection {
  readonly leaderElect: boolean;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

type Factories = Readonly<Record<string, PluginFactory>>;

const kinds = {
  "kubescheduler.config.k8s.io/v1": "KubeSchedulerConfiguration",
  "scheduler.coxswain.io/v1": "SchedulerConfiguration",
} as const;

/** Coxswain's own kind has all that kube-scheduler's has, and these. */
const ownFields: Readonly<Record<string, Shape>> = { __proto__: null as never, plugins: { list: "string" }, pluginTimeout: "duration" };

/** The modules with plugins that a document names, as it names them. @throws SchedulerConfigError */
export function pluginModulesOf(document: unknown): readonly string[] {
  const { plugins = [] } = checked(document) as { readonly plugins?: readonly string[] };
  return plugins;
}

/**
 * A document as YAML or JSON has it. `plugins` are those of its modules.
 * @throws SchedulerConfigError with kube-scheduler's message
 */
export function readSchedulerConfig(document: unknown, plugins: Factories = {}): SchedulerConfig {
  const {
    plugins: _,
    apiVersion: __,
    kind: ___,
    ...config
  } = checked(document) as KubeSchedulerConfiguration & { readonly plugins?: unknown };
  return resolveScheduler({ ...config, plugins });
}

/** Applies the defaults to a definition and resolves its profiles. @throws SchedulerConfigError in kube-scheduler's words */
export function resolveScheduler(definition: SchedulerDefinition = {}): SchedulerConfig {
  const { extenders = [], plugins = {}, pluginTimeout = "60s", ...rest } = definition;
  const config = { ...rest, profiles: namedProfiles(definition.profiles ?? []) };
  const remote = extenders.filter((one): one is ExtenderConfiguration => "urlPrefix" in one);
  const errors = validateConfiguration({ ...config, extenders: remote }, argsReaders);
  if (errors.length > 0) throw new SchedulerConfigError(field.formatFieldErrors(errors));
  const factories = allFactories(plugins, Number(parseGoDuration(pluginTimeout)));
  const ignored = remote.flatMap(({ managedResources = [] }) => managedResources.filter((one) => one.ignoredByScheduler === true));
  return {
    profiles: config.profiles.map((profile) => profileSpec(profile, config, { factories, ignored: ignored.map(({ name }) => name) })),
    podInitialBackoffMs: (config.podInitialBackoffSeconds ?? 1) * 1000,
    podMaxBackoffMs: (config.podMaxBackoffSeconds ?? 10) * 1000,
    extenders,
    leaderElection: leaderElectionOf(config.leaderElection ?? {}),
    kubeconfig: config.clientConnection?.kubeconfig || undefined,
  };
}

function checked(document: unknown): Readonly<Record<string, unknown>> {
  const { apiVersion = "", kind = "" } = isRecord(document) ? document : {};
  const wanted = Object.hasOwn(kinds, String(apiVersion)) ? kinds[apiVersion as keyof typeof kinds] : undefined;
  if (!isRecord(document) || kind !== wanted) throw new SchedulerConfigError(unregistered(String(apiVersion), String(kind)));
  const fields = kind === "SchedulerConfiguration" ? { ...configurationFields, ...ownFields } : configurationFields;
  const unknown: string[] = [];
  checkShape(document, { type: "KubeSchedulerConfiguration", fields }, { unknown });
  if (unknown.length > 0) throw new SchedulerConfigError(unknownFields(unknown));
  checkArgs((document as KubeSchedulerConfiguration).profiles ?? []);
  return document;
}

function unregistered(apiVersion: string, kind: string): string {
  if (kind === "") return "Object 'Kind' is missing in the configuration";
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

function checkArgs(profiles: readonly KubeSchedulerProfile[]): void {
  for (const [i, { pluginConfig }] of profiles.entries())
    for (const [j, { name, args }] of pluginConfig?.entries() ?? []) {
      const known = argsFields.get(name);
      const unknown = known === undefined ? [] : Object.keys(args ?? {}).filter((one) => ![...known, "apiVersion", "kind"].includes(one));
      if (unknown.length === 0) continue;
      const where = `decoding .profiles[${i}].pluginConfig[${j}]: strict decoding error: decoding args for plugin ${name}`;
      throw new SchedulerConfigError(`strict decoding error: ${where}: ${unknownFields(unknown)}`);
    }
}

function namedProfiles(profiles: readonly KubeSchedulerProfile[]): readonly KubeSchedulerProfile[] {
  if (profiles.length > 1) return profiles;
  return [{ schedulerName: "default-scheduler", ...profiles[0] }];
}

function allFactories(own: Factories, timeoutMs: number): ReadonlyMap<string, PluginFactory> {
  const taken = Object.keys(own).find((name) => pluginFactories.has(name));
  if (taken !== undefined) throw new SchedulerConfigError(`a plugin named ${taken} already exists`);
  const boundedOnes = Object.entries(own).map(([name, factory]) => [name, bounded(factory, timeoutMs)] as const);
  return new Map([...pluginFactories, ...boundedOnes]);
}

function profileSpec(
  { schedulerName = "", percentageOfNodesToScore, plugins = {}, pluginConfig = [] }: KubeSchedulerProfile,
  config: Pick<KubeSchedulerConfiguration, "percentageOfNodesToScore">,
  { factories, ignored }: { readonly factories: ReadonlyMap<string, PluginFactory>; readonly ignored: readonly string[] },
): ProfileSpec {
  const percentage = percentageOfNodesToScore ?? config.percentageOfNodesToScore;
  try {
    const { at, explicit, weightOf } = mergePlugins(defaultPlugins, plugins, (name) => factories.has(name));
    const args = Object.fromEntries(pluginConfig.map((one) => [one.name, one.args ?? {}]));
    return {
      schedulerName,
      ...(percentage === undefined ? {} : { percentageOfNodesToScore: percentage }),
      plugins: { ...at, score: at.score.map((name) => ({ name, weight: weightOf(name) })) },
      explicit,
      args: ignored.length === 0 ? args : { ...args, NodeResourcesFit: withIgnored(args.NodeResourcesFit, ignored) },
      factories,
    };
  } catch (error) {
    if (!(error instanceof SchedulerConfigError)) throw error;
    throw new SchedulerConfigError(`initializing profiles: creating profile for scheduler name ${schedulerName}: ${error.message}`);
  }
}

/** What an extender looks after, the scheduler itself does not count. */
function withIgnored(args: Readonly<Record<string, unknown>> = {}, ignored: readonly string[]): Readonly<Record<string, unknown>> {
  const { ignoredResources } = args;
  return { ...args, ignoredResources: [...(Array.isArray(ignoredResources) ? ignoredResources : []), ...ignored] };
}

function leaderElectionOf(given: NonNullable<KubeSchedulerConfiguration["leaderElection"]>): LeaderElection {
  const { leaderElect = true, resourceName = "kube-scheduler", resourceNamespace = "kube-system" } = given;
  const { leaseDuration = "15s", renewDeadline = "10s", retryPeriod = "2s" } = given;
  return {
    leaderElect,
    lease: { namespace: resourceNamespace, name: resourceName },
    leaseDurationMs: Number(parseGoDuration(leaseDuration)),
    renewDeadlineMs: Number(parseGoDuration(renewDeadline)),
    retryPeriodMs: Number(parseGoDuration(retryPeriod)),
  };
}
