/** Puts a control plane together and brings it up. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, networkInterfaces, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ApiServer, type ConnectionLimits, type Log, Metrics, type Report, versionInfo } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, type RandomSource } from "@coxswain/machinery";
import { compactRegularly, StorageError, type Store, TransformError } from "@coxswain/store";
import type { ReplicaHost } from "@coxswain/store/replica";
import { openAudit } from "../access/audit.ts";
import { serverCertificatesOf } from "../access/certificate-uses.ts";
import { ClusterCertificates } from "../access/cluster-certificates.ts";
import { dataDirectoryError, prepareDataDirectory } from "../access/data-directory.ts";
import { openEncryption } from "../access/encryption.ts";
import { keepKubeconfig } from "../access/kept-kubeconfig.ts";
import { checkKubeconfig } from "../access/own-kubeconfig.ts";
import { ownRoles } from "../access/own-roles.ts";
import { pemDirectory, pemMemory } from "../access/private-file.ts";
import { serviceIpRangesOf } from "../access/service-ip-ranges.ts";
import { timelineAccess } from "../access/timeline-page.ts";
import { administrator, fingerprint, tokenFileUsers } from "../access/users.ts";
import type { Invariants, InvariantsPlace } from "../invariants/check-invariants.ts";
import type { Options } from "../options/cluster-options.ts";
import { contextName } from "../options/instance-name.ts";
import { servedNames } from "../pki/served-names.ts";
import { serviceAccountKey } from "../pki/service-account-key.ts";
import { ownIdentity } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";
import { lazyRaces } from "../races/lazy-races.ts";
import { createApiServer, measuresResources } from "../servers/create-api-server.ts";
import { flowControlShare } from "../servers/flow-control-share.ts";
import { serverThreadChecks } from "../servers/server-thread-checks.ts";
import type { StartedServerThreads } from "../servers/start-server-threads.ts";
import { type ChosenComponents, chooseComponents } from "./choose-components.ts";
import { type KeptHistory, keepHistory } from "./keep-history.ts";
import { openNodeNetwork } from "./open-node-network.ts";
import { openStore } from "./open-store.ts";
import { advertised, knownAddresses, listenForAll, runtimeText } from "./server-addresses.ts";
import { componentHealthOf, explanationAt, healthChecksOf, type StartedComponents, startComponents } from "./start-components.ts";

/** What a server takes from its process: clock, chance, log, and what it says of itself. */
export interface ClusterDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  /** Of coxswain. */
  readonly version: string;
  /** As Kubernetes names it: `linux/amd64`. */
  readonly platform: string;
  /** How long clients may take; by default as long as with Kubernetes. */
  readonly limits?: Partial<ConnectionLimits>;
}

/** A server that runs, with all that was brought up beside it. */
export interface RunningCluster {
  readonly server: string;
  readonly kubeconfig: string;
  /** What runs containers, for people; undefined where no node was brought up. */
  readonly runtime: string | undefined;
  /** Whether Services lead to Pods, for people; undefined where Pods are no real containers. */
  readonly services: string | undefined;
  /** Whether NetworkPolicies are enforced, for people; undefined where Pods are no real containers. */
  readonly networkPolicies: string | undefined;
  /** A link that opens the timeline in a browser, once, as the administrator. */
  readonly timeline: string;
  /** Ends watches, answers what is under way, and lets go of the data. */
  close(): Promise<void>;
}

/** Starts a server with the components that the options ask for. @throws StartError for what the user can put right */
export async function startCluster(options: Options, dependencies: ClusterDependencies): Promise<RunningCluster> {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  try {
    return await start(options, dataDir, dependencies);
  } catch (error) {
    if (error instanceof StorageError) throw new StartError(error.message, { cause: error });
    if (error instanceof TransformError)
      throw new StartError(`what the server needs of its data cannot be read: ${error.message}`, { cause: error });
    throw dataDir === undefined ? error : dataDirectoryError(dataDir, error);
  }
}

async function start(
  options: Options,
  dataDir: string | undefined,
  { clock, random, log, version, platform, limits }: ClusterDependencies,
): Promise<RunningCluster> {
  await using stack = new AsyncDisposableStack();
  const serviceIpRanges = serviceIpRangesOf(options);
  if (dataDir !== undefined) prepareDataDirectory(dataDir);
  const kubeconfig = kubeconfigPath(options, dataDir, stack);
  const self = ownIdentity();
  await checkKubeconfig(kubeconfig, self);
  const observe = { clock, log, metrics: serverMetrics(clock, versionInfo(version, platform)) };
  const { metrics } = observe;
  const { store, healthChecks, history, invariants } = await openEncrypted(options, dataDir, { ...observe, random, stack });
  const replicas = stack.use(await replicasOf(store, options));
  const admin = administrator(dataDir === undefined ? undefined : join(dataDir, "admin-token"));
  const others = otherUsers(options, log);
  const pems = dataDir === undefined ? pemMemory() : pemDirectory(join(dataDir, "pki"));
  const rootDir = resolve(options.node?.rootDir ?? join(dataDir ?? temporaryDirectory(stack), "kubelet"));
  const network = stack.use(await openNodeNetwork(options, { rootDir, isKept: dataDir !== undefined, serviceIpRanges, clock, log }));
  const known = knownAddresses(serviceIpRanges, network?.plan);
  const advertisedAt = advertised(options, known, serviceIpRanges);
  const chosen = await chooseComponents(options, { ...known, serviceIpRanges });
  const served = namesOfThisMachine(options, chosen.podsAddress, serviceIpRanges.apiServerServiceIp);
  const certificates = stack.use(new ClusterCertificates({ store: pems, files: options.certificates, served, admin, clock, log }));
  const audit = stack.use(await openAudit(options.audit, { ...observe, random }));
  const hasClusterIps = chosen.services?.proxy === "machine";
  const { servers = 1 } = options;
  let components: StartedComponents | undefined;
  let threads: StartedServerThreads | undefined;
  const componentHealth = componentHealthOf(chosen, () => components);
  const [used, users, pageKey] = [serverCertificatesOf(certificates), [admin, ...others], randomBytes(32).toString("base64url")];
  const shared = { ...options, flowControl: flowControlShare(options.flowControl, servers) };
  const { server, callers, measurements, ...made } = await createApiServer(
    shared,
    {
      ...{ store, clock, random, log, metrics, version, platform, users, pageKey, certificates: used, serviceIpRanges, hasClusterIps },
      ...{ ...advertisedAt, ...audit.server, hostname: hostname(), componentHealth, history: history?.reader },
      ...(servers === 1 ? {} : { others: () => threads?.peers ?? [] }),
      ...{ serviceAccountKey: () => serviceAccountKey(pems), roles: rolesOf(chosen, measuresResources(options)) },
      ...{ reports: reportsOf(() => components, invariants), observesReads: seesAllReads(options, invariants) },
      endpoints: new Map([["races", stack.use(lazyRaces({ clock, random, log })).endpoint]]),
      healthChecks: [...healthChecks, ...serverThreadChecks(servers, () => threads), ...healthChecksOf(chosen, () => components)],
      ...(limits === undefined ? {} : { limits }),
    },
    stack,
  );
  stack.defer(async () => void (await Promise.all([server.close(), threads?.[Symbol.asyncDispose]()])));
  for (const one of [measurements, invariants]) stack.use(one);
  const { url, podsUrl, listensAt } = await listenForAll(server, options, { podsAddress: chosen.podsAddress, isShared: servers > 1, log });
  if (replicas !== undefined) {
    const { startServerThreads } = await import("../servers/start-server-threads.ts");
    threads = startServerThreads({
      ...{ servers, replicas, metrics, componentHealth, certificates: used, first: server, audit: audit.server.audit?.sink, clock, log },
      closeMs: closeMsOf(options.serving),
      settings: { options: shared, version, platform, users, pageKey, hasClusterIps, listensAt, ...advertisedAt, ...made },
    });
  }
  const facts = () => ({
    ...{ server: url, token: admin.token, name: contextName(options.name), mark: self },
    ...{ authority: certificates.servingAuthorities, certificate: certificates.pair("admin").current },
  });
  const sources = [certificates.authority, certificates.pair("apiserver"), certificates.pair("admin")];
  stack.use(await keepKubeconfig({ path: kubeconfig, mergePath: options.mergeKubeconfig, facts, sources, clock, log }));
  setImmediate(() => follow({ history, invariants }, { server, callers, metrics, clock, random, log }));
  log.info({ url, dataDir, admin: fingerprint(admin.token), otherUsers: others.length }, "serving");
  components = stack.use(
    startComponents(server, {
      ...{ callers, metrics, clock, random, log },
      ...{ options, chosen, url, podsUrl, network: network?.plan, version, platform, certificates, rootDir },
    }),
  );
  const owned = stack.move();
  const texts = { services: chosen.services?.why, networkPolicies: chosen.networkPolicy?.why };
  return {
    timeline: `${url}${timelineAccess({ key: pageKey, clock, random }).linkFor(admin)}`,
    ...{ server: url, kubeconfig, runtime: runtimeText(chosen.runtime, url, podsUrl), ...texts },
    close: () => closeInOrder([server, ...(threads === undefined ? [] : [threads])], owned),
  };
}

/** Where others serve the same objects, what a client has read is not known here. */
const seesAllReads = ({ servers = 1, etcd }: Options, invariants: Invariants | undefined): boolean =>
  invariants !== undefined && servers === 1 && etcd === undefined;

/** What follows the writes of a server, once it answers. */
function follow({ history, invariants }: Followers, options: Parameters<Invariants["start"]>[0]): void {
  history?.start();
  invariants?.start(options);
}

interface Followers {
  readonly history: KeptHistory | undefined;
  readonly invariants: Invariants | undefined;
}

const rolesOf = ({ runtime, services, podNetwork, networkPolicy }: ChosenComponents, measures: boolean) =>
  ownRoles({
    measures,
    simulatesNodes: runtime?.kind === "simulated",
    answersNames: services?.dns !== undefined,
    networksPods: podNetwork !== undefined,
    // Where no node is here, there are others.
    enforcesPolicies: networkPolicy?.enforced === true || runtime === undefined,
  });

/** As long as the server still serves, so does what runs beside it. */
async function closeInOrder(servers: readonly Pick<ApiServer, "announceShutdown">[], owned: AsyncDisposableStack): Promise<void> {
  await Promise.all(servers.map((server) => server.announceShutdown()));
  await owned.disposeAsync();
}

/** Without a data directory and without a path in the options, it is in a directory that ends with the server. */
function kubeconfigPath(options: Options, dataDir: string | undefined, stack: AsyncDisposableStack): string {
  if (options.kubeconfig !== undefined) return resolve(options.kubeconfig);
  if (dataDir !== undefined) return join(dataDir, "kubeconfig");
  return join(temporaryDirectory(stack), "kubeconfig");
}

/** Ends with the server. */
function temporaryDirectory(stack: AsyncDisposableStack): string {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-"));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const otherUsers = ({ tokenAuthFile }: Options, log: Log) =>
  tokenAuthFile === undefined ? [] : tokenFileUsers(tokenAuthFile, (text) => log.warn({}, text));

/** Undefined: there is one server. @throws StartError */
async function replicasOf(store: Store, { servers = 1, etcd }: Options): Promise<ReplicaHost | undefined> {
  if (servers === 1) return undefined;
  if (etcd !== undefined) throw new StartError("--servers is for a state that is kept here; where it is in etcd, start more servers on it");
  if (process.platform !== "linux") throw new StartError("--servers needs a system on which several threads can listen at one port: Linux");
  const { createReplicaHost } = await import("@coxswain/store/replica");
  return createReplicaHost(store);
}

/** How long the end of a server may take: what it announces and what it waits for, and then some. Milliseconds. */
const closeMsOf = ({ shutdownDelayMs = 0, requestTimeoutMs = 60_000 }: NonNullable<Options["serving"]> = {}): number =>
  shutdownDelayMs + requestTimeoutMs + 15_000;

const serverMetrics = (clock: Clock, build: ReturnType<typeof versionInfo>): Metrics =>
  new Metrics({ startedAt: clock.now() / 1000, build, serverId: hostname() });

interface ForStore {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stack: AsyncDisposableStack;
}

/** As often as kube-apiserver. */
const compactionMs = 300_000;

async function openEncrypted(
  { encryption, etcd, etcdCompactionIntervalMs: everyMs = compactionMs, history: settings, invariants: file }: Options,
  dataDir: string | undefined,
  { stack, random, ...observe }: ForStore,
) {
  const opened = stack.use(await openEncryption(encryption, { ...observe, etcdPrefix: etcd?.prefix }));
  const { clock, log } = observe;
  const { transformer, healthChecks } = opened;
  const store = stack.use(await openStore({ etcd, dataDir, transformer }, { clock, random, log }));
  stack.use(compactRegularly(store, { everyMs, clock, onError: (error) => log.warn({ error }, "failed to forget old revisions") }));
  const history = keepHistory({ settings, dataDir, store, transformer, clock, log });
  if (history !== undefined) stack.use(history);
  const invariants =
    file === undefined
      ? undefined
      : await invariantsOf(file, { dataDir, store, history: history?.reader, isEncrypted: encryption !== undefined });
  return { store, healthChecks, history, invariants };
}

/** What they are compiled with is loaded where there are some. */
async function invariantsOf(file: string, place: InvariantsPlace): Promise<Invariants> {
  const { openInvariants } = await import("../invariants/check-invariants.ts");
  return openInvariants(resolve(file), place);
}

const reportsOf = (components: () => StartedComponents | undefined, invariants: Invariants | undefined): ReadonlyMap<string, Report> =>
  new Map<string, Report>([
    ["scheduling", async (path, _query, mayGet) => explanationAt(path, components(), mayGet)],
    ...(invariants === undefined ? [] : [["invariants", invariants.report] as const]),
  ]);

function namesOfThisMachine(
  { address, advertiseAddress, certExtraSans = [] }: Options,
  podsAddress: string | undefined,
  serviceIp: string,
) {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const names = servedNames({
    address,
    hostname: hostname(),
    addresses: addresses.map((one) => one.address),
    serviceIp,
    extra: [...certExtraSans, ...(advertiseAddress === undefined ? [] : [advertiseAddress])],
  });
  return podsAddress === undefined ? names : { ...names, ip: [...names.ip, podsAddress] };
}
