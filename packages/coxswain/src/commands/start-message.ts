/** What the command prints once it serves: for people, or for the program that has started it. */
import type { RunningCluster } from "../cluster/start-cluster.ts";
import type { CommandOptions } from "../options/cluster-options.ts";
import { contextName } from "../options/instance-name.ts";

export interface ServingCommand
  extends Pick<RunningCluster, "server" | "kubeconfig" | "runtime" | "services" | "networkPolicies" | "timeline"> {
  /** Of coxswain. */
  readonly version: string;
  readonly pid: number;
  /** The words that start the command, as they were for this one. */
  readonly program: string;
}

type ShownOptions = Pick<CommandOptions, "output" | "name" | "dataDir" | "etcd" | "mergeKubeconfig" | "controllers" | "scheduler" | "node">;

export function startMessage(serving: ServingCommand, options: ShownOptions): string {
  const { server, kubeconfig, pid, version } = serving;
  return options.output === "json" ? `${JSON.stringify({ server, kubeconfig, pid, version })}\n` : textOf(serving, options);
}

const textOf = (serving: ServingCommand, options: ShownOptions): string => `
coxswain ${serving.version} at ${serving.server}, state in ${placeOf(options)}
${whatRuns(serving)}
${accessText(serving.kubeconfig, options)}${suggestions(options)
  .map((line) => `  ${line}\n`)
  .join("")}
What happens, in a browser (the link opens it once): ${serving.timeline}

Ctrl-C ends it. In another terminal \`${serving.program} --help\` shows what else there is.

`;

const placeOf = ({ dataDir, etcd }: ShownOptions): string =>
  etcd === undefined ? (dataDir ?? "memory") : `etcd at ${etcd.servers.join(", ")}`;

/** A line for each of them that has something to say. */
const whatRuns = ({ runtime, services, networkPolicies }: ServingCommand): string =>
  Object.entries({ Pods: runtime, Services: services, NetworkPolicies: networkPolicies })
    .map(([name, text]) => (text === undefined ? "" : `${name}: ${text}\n`))
    .join("");

const accessText = (kubeconfig: string, { mergeKubeconfig, name }: ShownOptions): string =>
  mergeKubeconfig === undefined
    ? `  export KUBECONFIG=${quoted(kubeconfig)}\n`
    : `  # ${contextName(name)} is the current context of ${mergeKubeconfig} as long as it runs\n`;

/** Something that works with what runs. */
const suggestions = ({ controllers, scheduler, node }: ShownOptions): readonly string[] =>
  controllers.length > 0 && scheduler && node !== undefined
    ? ["kubectl get nodes -o wide", "kubectl create deployment web --image=nginx --replicas=3", "kubectl get pods --watch"]
    : ["kubectl create configmap ship --from-literal=course=north", "kubectl get configmap ship -o yaml"];

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The words by which somebody has started this process, as npm notes in the environment. */
export function programName({ npm_lifecycle_event: script, npm_command: command }: Readonly<Record<string, string | undefined>>): string {
  if (script === "start") return "npm start --";
  return command === "exec" ? "npx coxswain" : "coxswain";
}
