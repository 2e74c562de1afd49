/** The options of `coxswain`. */
import type { AdmissionChoice, FlowControlOptions } from "@coxswain/apiserver";
import { type Command, Option } from "commander";
import {
  type AggregationSettings,
  addAggregationOptions,
  aggregationSettingsOf,
  type ParsedAggregationOptions,
} from "./aggregation-options.ts";
import { type AuditSettings, addAuditOptions, auditSettingsOf, type ParsedAuditOptions, parsedAuditFlag } from "./audit-options.ts";
import {
  type AuthenticationSettings,
  addAuthenticationOptions,
  authenticationSettingsOf,
  type ParsedAuthenticationOptions,
} from "./authentication-options.ts";
import {
  type AuthorizationSettings,
  addAuthorizationOptions,
  authorizationSettingsOf,
  type ParsedAuthorizationOptions,
} from "./authorization-options.ts";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { addCertificateOptions, type CertificateFiles, certificateFilesOf, type ParsedCertificateOptions } from "./certificate-options.ts";
import { addEncryptionOptions, type EncryptionSettings, encryptionSettingsOf, type ParsedEncryptionOptions } from "./encryption-options.ts";
import { addEtcdOptions, type EtcdSettings, etcdSettingsOf, type ParsedEtcdOptions } from "./etcd-options.ts";
import { addFlowControlOptions, flowControlOf, type ParsedFlowControlOptions } from "./flow-control-options.ts";
import { addHistoryOptions, type HistoryOptions, historyOptionsOf, type ParsedHistoryOptions } from "./history-options.ts";
import { parseName } from "./instance-name.ts";
import { addLogOptions, type LogOptions } from "./log-options.ts";
import { addNodeIpamOptions, type NodeCidrMaskSizes, nodeIpamOf, type ParsedNodeIpamOptions } from "./node-ipam-options.ts";
import { addNamespacedNodeOptions, addNodeOptions, type NodeOptions, nodeOptionsOf, type ParsedNodeOptions } from "./node-options.ts";
import {
  parseAddress,
  parseAdmissionPlugins,
  parseAdvertiseAddress,
  parseBoolean,
  parseList,
  parsePort,
  parseSans,
} from "./parse-values.ts";
import { listSubcommands } from "./root-help.ts";
import { addServiceOptions, type ParsedServiceOptions } from "./service-options.ts";
import { addServingOptions, type ParsedServingOptions, type ServingSettings, servingSettingsOf } from "./serving-options.ts";
import { addThreadOptions, type ParsedThreadOptions, type ThreadOptions } from "./thread-options.ts";
import { defaultDataDir, userKubeconfig } from "./user-paths.ts";

/** The options of the command `coxswain`, parsed. */
export interface Options extends LogOptions, ThreadOptions, HistoryOptions {
  /** Of the server among others of this user, and so of its context; undefined where one is enough. */
  readonly name?: string | undefined;
  /** Undefined keeps everything in memory. */
  readonly dataDir: string | undefined;
  readonly address: string;
  /** Whether it also listens where real containers can reach it: unless an address was asked for. */
  readonly isReachableFromPods?: boolean;
  /** Where clients in the cluster reach it. Default: the address it listens on, or that of this machine where only it can reach that. */
  readonly advertiseAddress?: string | undefined;
  /** 0 takes any free one. */
  readonly port: number;
  /** Names and addresses that the serving certificate has beside those of this machine. */
  readonly certExtraSans?: readonly string[];
  /** Undefined writes it into the data directory. */
  readonly kubeconfig: string | undefined;
  /** A kubeconfig of the user that gets a context of this server while it runs. */
  readonly mergeKubeconfig?: string | undefined;
  readonly tokenAuthFile: string | undefined;
  readonly authentication?: AuthenticationSettings;
  /** Default: Node, then RBAC. */
  readonly authorization?: AuthorizationSettings | undefined;
  /** Default: the state is in the data directory. */
  readonly etcd?: EtcdSettings | undefined;
  /** Default: nothing is encrypted. */
  readonly encryption?: EncryptionSettings | undefined;
  /** Default: nothing bounds how many requests are served at a time. */
  readonly flowControl?: FlowControlOptions | undefined;
  /** Default: nothing is recorded. */
  readonly audit?: AuditSettings | undefined;
  /** Files of the user's own. */
  readonly certificates?: CertificateFiles | undefined;
  /** The way to extension servers. */
  readonly aggregation?: AggregationSettings | undefined;
  readonly serving?: ServingSettings | undefined;
  /** ServiceAccount is on by itself where its accounts are made. */
  readonly admission?: AdmissionChoice;
  /** A file of an AdmissionConfiguration. */
  readonly admissionConfig?: string | undefined;
  /** As `--controllers` of kube-controller-manager; none runs nothing but the API server. */
  readonly controllers: readonly string[];
  /** Whether Pods are scheduled here. */
  readonly scheduler: boolean;
  /** Whether metrics.k8s.io is served here. */
  readonly metricsApi?: boolean;
  /** Whether controllers and scheduler work only while no other server's do. Default: where the state is in etcd. */
  readonly leaderElect?: boolean | undefined;
  /** A file of profiles and plugins; undefined for Kubernetes' default ones. */
  readonly schedulerConfig: string | undefined;
  /** Whether the rules of Services are written here where Pods are real containers. Default: they are, as far as that can be done. */
  readonly kubeProxy?: boolean;
  /** Whether names of Services are answered here where Pods are real containers. Default: they are, as far as that can be done. */
  readonly clusterDns?: boolean;
  /** Whether Pods that are real containers get their addresses here. Default: they do, where nobody else says how. */
  readonly podNetwork?: boolean;
  /** Whether NetworkPolicies are enforced here where Pods are real containers. Default: they are, as far as that can be done. */
  readonly networkPolicy?: boolean;
  /** One range of addresses for Services, or one of each family: the first is the default. Default: 10.96.0.0/12. */
  readonly serviceClusterIpRange?: readonly string[] | undefined;
  readonly serviceNodePortRange?: string | undefined;
  /** Which ranges Nodes get for their Pods. Default: 10.244.0.0/16 where these are real containers, else none. */
  readonly clusterCidrs?: readonly string[] | undefined;
  /** The length of the prefix of a Node's range, by family. */
  readonly nodeCidrMaskSizes?: NodeCidrMaskSizes;
  /** Undefined: no node is brought up here. */
  readonly node: NodeOptions | undefined;
}

/** And what only the command has of them: a cluster that is started by code has no standard input or output. */
export interface CommandOptions extends Options {
  /** What it prints on standard output once it serves: text for people, or one line of JSON. */
  readonly output: (typeof outputs)[number];
  /** Whether it ends when its standard input does, and so with whoever started it. */
  readonly stopOnStdinClose: boolean;
}

const outputs = ["text", "json"] as const;

interface Parsed
  extends ParsedNodeOptions,
    ParsedAuthenticationOptions,
    ParsedAuthorizationOptions,
    ParsedEncryptionOptions,
    ParsedEtcdOptions,
    ParsedServiceOptions,
    ParsedAuditOptions,
    ParsedNodeIpamOptions,
    ParsedServingOptions,
    ParsedFlowControlOptions,
    ParsedCertificateOptions,
    ParsedAggregationOptions,
    ParsedThreadOptions,
    ParsedHistoryOptions,
    LogOptions,
    Pick<CommandOptions, "output"> {
  readonly name?: string;
  readonly dataDir?: string;
  readonly ephemeral?: true;
  readonly address: string;
  readonly advertiseAddress?: string;
  readonly port: number;
  readonly apiserverCertExtraSans: readonly string[];
  readonly kubeconfig?: string;
  readonly mergeKubeconfig?: true;
  readonly tokenAuthFile?: string;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly admissionControlConfigFile?: string;
  readonly apiserverOnly?: true;
  readonly controllers: readonly string[];
  readonly scheduler: boolean;
  readonly leaderElect?: boolean;
  readonly schedulerConfig?: string;
  readonly node: boolean;
  readonly metricsApi: boolean;
  readonly disableKubeProxy?: true;
  readonly disableClusterDns?: true;
  readonly disablePodNetwork?: true;
  readonly disableNetworkPolicy?: true;
  readonly stopOnStdinClose?: true;
}

/** `coxswain` without a command below it. */
export function clusterCommand(env: Environment, version: string, output: Output): Command {
  const command = baseCommand(undefined, output)
    .usage("[options] | <command> [options]")
    .description("A Kubernetes control plane: one process, one command.")
    .action(() => {
      const [word] = command.args;
      if (word !== undefined) command.error(`error: there is no command ${JSON.stringify(word)}; coxswain --help lists them`);
    })
    .allowExcessArguments()
    .option("--name <name>", "what tells it from other servers of this user; each name has its own state and context", parseName)
    .option("--data-dir <dir>", `where its state is kept (default: ${defaultDataDir(env)}, with -<name> behind it)`)
    .addOption(new Option("--ephemeral", "keep everything in memory and forget it at the end").conflicts("dataDir"))
    .option(
      "--address <ip>",
      "what to listen on; only this machine, and Pods that are real containers, can reach the default",
      parseAddress,
      "127.0.0.1",
    )
    .option(
      "--advertise-address <ip>",
      "where others in the cluster reach it: what the endpoints of default/kubernetes name (default: what it listens on, or this machine's)",
      parseAdvertiseAddress,
    )
    .option("--port <number>", "what to listen on; 0 takes any free one", parsePort, 6443)
    .option("--apiserver-cert-extra-sans <names>", "what else clients call it: DNS names and addresses, for its certificate", parseSans, [])
    .option("--kubeconfig <file>", "where to write the kubeconfig (default: in the data directory)")
    .option("--merge-kubeconfig", "add a context to the kubeconfig of this user while it runs, and make it the current one")
    .option("--token-auth-file <file>", 'more users: lines of token,user,uid,"group1,group2"')
    .option("--enable-admission-plugins <names>", "besides those that are on: ServiceAccount", parseAdmissionPlugins, [])
    .option("--disable-admission-plugins <names>", "without these: ServiceAccount, Priority, …", parseAdmissionPlugins, [])
    .option("--admission-control-config-file <file>", "an AdmissionConfiguration: what admission plugins are configured with")
    .addOption(
      new Option("--apiserver-only", "run nothing but the API server").conflicts(["controllers", "schedulerConfig", "runtime", "nodes"]),
    )
    .option("--controllers <names>", controllersHelp, parseList, ["*"])
    .option("--no-scheduler", "leave it to others to schedule Pods")
    .option("--scheduler-config <file>", "profiles and plugins of the scheduler")
    .addOption(
      new Option(
        "--leader-elect [boolean]",
        "whether controllers and scheduler work only while no other server's do (default: where the state is in etcd)",
      ).argParser(parseBoolean),
    )
    .option("--no-node", "bring up no node")
    .option("--no-metrics-api", "leave metrics.k8s.io to others: a metrics-server, or nobody")
    .option("--disable-kube-proxy", "leave it to others to lead real containers to Services")
    .option("--disable-cluster-dns", "leave it to others to answer the names of Services")
    .option("--disable-pod-network", "leave it to others to give real containers addresses")
    .option("--disable-network-policy", "leave it to others to enforce NetworkPolicies on real containers")
    .addOption(new Option("--output <form>", "what it prints once it serves; json is one line").choices(outputs).default("text"))
    .option("--stop-on-stdin-close", "end when standard input does, and so with whoever started it")
    .version(version, "-V, --version", "print the version");
  for (const add of [addLogOptions, addAuthenticationOptions, addAuthorizationOptions, addEncryptionOptions, addEtcdOptions]) add(command);
  for (const add of [
    addAuditOptions,
    addFlowControlOptions,
    addServiceOptions,
    addServingOptions,
    addCertificateOptions,
    addAggregationOptions,
    addNodeOptions,
    addNamespacedNodeOptions,
    addNodeIpamOptions,
    addThreadOptions,
    addHistoryOptions,
  ])
    add(command);
  return command;
}

/** Prints and throws CommanderError for `--help`, `--version` and what it does not understand. */
export function parseOptions(args: readonly string[], env: Environment, version: string, output: Output): CommandOptions {
  const command = listSubcommands(clusterCommand(env, version, output));
  const parsed = command.parse(args, { from: "user" }).opts<Parsed>();
  const isApiServerOnly = parsed.apiserverOnly === true;
  return {
    name: parsed.name,
    dataDir: parsed.ephemeral === true ? undefined : (parsed.dataDir ?? defaultDataDir(env, parsed.name)),
    address: parsed.address,
    advertiseAddress: isAnyAddress(parsed.advertiseAddress) ? undefined : parsed.advertiseAddress,
    isReachableFromPods: command.getOptionValueSource("address") === "default",
    port: parsed.port,
    certExtraSans: parsed.apiserverCertExtraSans,
    kubeconfig: parsed.kubeconfig,
    mergeKubeconfig: parsed.mergeKubeconfig === true ? userKubeconfig(env) : undefined,
    tokenAuthFile: parsed.tokenAuthFile,
    authentication: authenticationSettingsOf(parsed),
    authorization: authorizationSettingsOf(parsed),
    encryption: encryptionSettingsOf(parsed),
    etcd: etcdSettingsOf(parsed),
    audit: auditSettingsOf(parsedAuditFlag(parsed), (message) => command.error(`error: ${message}`)),
    certificates: certificateFilesOf(parsed),
    aggregation: aggregationSettingsOf(parsed),
    serving: servingSettingsOf(parsed),
    flowControl: flowControlOf(parsed, command),
    admission: { enable: parsed.enableAdmissionPlugins, disable: parsed.disableAdmissionPlugins },
    admissionConfig: parsed.admissionControlConfigFile,
    logLevel: parsed.logLevel,
    logFormat: parsed.logFormat,
    threads: parsed.threads,
    servers: parsed.servers,
    ...historyOptionsOf(parsed, parsed.etcdServers.length > 0),
    controllers: isApiServerOnly ? [] : parsed.controllers,
    scheduler: parsed.scheduler && !isApiServerOnly,
    ...(parsed.leaderElect === undefined ? {} : { leaderElect: parsed.leaderElect }),
    schedulerConfig: parsed.schedulerConfig,
    metricsApi: parsed.metricsApi && !isApiServerOnly,
    kubeProxy: parsed.disableKubeProxy !== true,
    clusterDns: parsed.disableClusterDns !== true,
    podNetwork: parsed.disablePodNetwork !== true,
    networkPolicy: parsed.disableNetworkPolicy !== true,
    serviceClusterIpRange: parsed.serviceClusterIpRange,
    serviceNodePortRange: parsed.serviceNodePortRange,
    ...nodeIpamOf(parsed, (message) => command.error(`error: ${message}`)),
    node: parsed.node && !isApiServerOnly ? nodeOptionsOf(parsed) : undefined,
    output: parsed.output,
    stopOnStdinClose: parsed.stopOnStdinClose === true,
  };
}

const isAnyAddress = (address: string | undefined): boolean => address === "0.0.0.0" || address === "::";

export const controllersHelp = "which controllers run: names with commas in between, '*' for all, '-name' for not that one";
