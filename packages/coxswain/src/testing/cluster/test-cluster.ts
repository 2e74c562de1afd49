/** What a test has of a cluster. */
import type { AdmissionChoice } from "@coxswain/apiserver";
import type { Client, ControllerLog, ResourceRef, Target, Transport } from "@coxswain/client";
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { RecordedFailure } from "../../recording/format.ts";
import type { Duration } from "../chance-and-time/duration.ts";
import type { SeededRandom } from "../chance-and-time/random.ts";
import type { FaultScript } from "../faults/fault-script.ts";
import type { OptionNames } from "../validation/options.ts";
import type { ApplyYamlOptions, Manifests } from "./apply-yaml.ts";
import type { ClusterObject } from "./cluster-object.ts";
import type { ClusterParts, RunningParts } from "./cluster-parts.ts";
import type { Listening } from "./listening.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import type { TestUser } from "./test-user.ts";
import type { Until, WaitOptions } from "./wait-for.ts";

/** What a test's cluster begins with. */
export interface ClusterOptions {
  /** Default: the real one, but for what begins from a snapshot of a virtual clock: then one that goes on from there. */
  readonly clock?: Clock;
  /** The same seed gives the same uids, names and jitter. Default: 1; a cluster from a snapshot goes on as the first would have. */
  readonly seed?: number;
  /** Begins with this state instead of an empty one. */
  readonly from?: ClusterSnapshot;
  /** Who can come in over the network besides the administrator: each has a context of that name in the kubeconfig. */
  readonly users?: readonly TestUser[];
  /** Admission plug-ins besides those that are on, or without some of them. Default: all but ServiceAccount. */
  readonly admission?: AdmissionChoice;
  /**
   * The addresses of Services: one range, or one of each family, of which the first is the default. Default: `["10.96.0.0/12"]`, or
   * those of the snapshot.
   */
  readonly serviceClusterIpRange?: readonly string[];
  /** Has a port from the beginning; `listen` opens it at any time. */
  readonly listen?: boolean;
  /** Where controllers that run on the cluster's clients log, those of `run` too: `console` prints it. Default: nowhere. */
  readonly log?: ControllerLog;
}

export const clusterOptions: OptionNames<ClusterOptions> = {
  clock: true,
  seed: true,
  from: true,
  users: true,
  admission: true,
  serviceClusterIpRange: true,
  listen: true,
  log: true,
};

/** What is special about one client of a test's cluster. */
export interface ClientForOptions {
  /** What goes wrong between this client and the server. */
  readonly faults?: FaultScript;
  readonly namespace?: string;
  readonly fieldManager?: string;
  readonly onWarning?: (text: string) => void;
}

export const clientForOptions: OptionNames<ClientForOptions> = { faults: true, namespace: true, fieldManager: true, onWarning: true };

/** What a recording of a test's cluster says of itself. */
export interface ClusterRecordingOptions {
  /** What was done. Default: that it is of a test. */
  readonly reason?: string;
  /** What went wrong. */
  readonly failure?: RecordedFailure;
  /** Keeps the values of Secrets. */
  readonly withSecrets?: boolean;
}

export const clusterRecordingOptions: OptionNames<ClusterRecordingOptions> = { reason: true, failure: true, withSecrets: true };

/** A control plane in the process of a test; disposing it ends all that was begun with it. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: Clock;
  /** Where its client's objects are that name no namespace: `default`. */
  readonly namespace: string;
  /** For what the test itself leaves to chance. */
  readonly random: SeededRandom;
  /** The administrator's. */
  readonly client: Client;
  /** The administrator's way in, for requests of any kind. */
  readonly transport: Transport;
  clientFor(user: TestUser, options?: ClientForOptions): Client;
  transportFor(user: TestUser, options?: Pick<ClientForOptions, "faults">): Transport;
  /** Opens a port on the loopback address, once, for kubectl and other processes. */
  listen(): Promise<Listening>;
  /** Server-side apply of all documents, in order. Resolves with the objects as they are stored. */
  applyYaml(manifests: Manifests, options?: ApplyYamlOptions): Promise<KubeObject[]>;
  /** @throws WaitError, which shows the object as it was last seen */
  waitFor<T extends KubeObject>(ref: ResourceRef<T>, target: Target, until: "delete", options?: WaitOptions): Promise<T | undefined>;
  waitFor<T extends KubeObject>(ref: ResourceRef<T>, target: Target, until: Until<T>, options?: WaitOptions): Promise<T>;
  /**
   * Brings up controllers, a scheduler, simulated nodes; resolves when they run. They end when they are disposed, or with
   * the cluster: `await using parts = await cluster.run({ controllers: true, scheduler: true, nodes: 3 })`.
   */
  run(parts: ClusterParts): Promise<RunningParts>;
  /** Lets time pass: `{ minutes: 5 }`, or `5m` as Kubernetes writes durations. @throws TypeError for anything else, and unless the clock is a virtual one */
  advance(duration: Duration): Promise<void>;
  /** One object, there or not, for `eventually` and the matchers that wait: `expect(cluster.object(pods, "web")).toEventuallyBeReady()`. */
  object<T extends KubeObject>(ref: ResourceRef<T>, target: Target): ClusterObject<T>;
  /**
   * Creates a namespace, and resolves with this cluster as seen from there: clients and manifests that name no namespace mean it.
   * Disposing that ends what was begun with it and deletes the namespace, without waiting until it is gone; the cluster stays.
   */
  namespaceForTest(): Promise<TestCluster>;
  snapshot(): ClusterSnapshot;
  /**
   * Writes what has happened into a file, which `coxswain replay` shows and `replayRecording` does again: the history that is kept, requests, conflicts,
   * faults and the seed. Values of Secrets are replaced. @throws RecordingError where there is a file already
   */
  record(path: string, options?: ClusterRecordingOptions): Promise<void>;
  /** Another cluster with all that this one has: objects, uids, versions, and the history that watches resume from. */
  fork(options?: Omit<ClusterOptions, "from">): Promise<TestCluster>;
}
