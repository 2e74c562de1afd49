/** Which runtime runs the containers of this machine's node, and why. */
import { connect } from "node:net";
import type { NodeOptions } from "../options/node-options.ts";
import { StartError } from "../process/start-error.ts";
import { checkMachine } from "./namespaces/check-machine.ts";

/** Whether each node has a network namespace, and a containerd and a kubelet in it. */
export const areNamespaced = ({ nodes, runtime }: Pick<NodeOptions, "nodes" | "runtime">): boolean => nodes > 1 && runtime === "cri";

export interface ChosenRuntime {
  readonly kind: "cri" | "process" | "simulated";
  /** For people: `simulated, since there is no containerd at …`. */
  readonly why: string;
}

/** A socket that has not answered by then is as good as none. */
const answerMs = 500;

/** @throws StartError when what was asked for cannot be had: nothing is taken in its place silently */
export async function chooseRuntime({ runtime, nodes, runtimeEndpoint }: NodeOptions): Promise<ChosenRuntime> {
  if (nodes > 1 && runtime === "process")
    throw new StartError(`--nodes=${nodes} needs --runtime=simulated or cri: a machine is one node of ${runtime}`);
  switch (runtime) {
    case "simulated":
      return { kind: "simulated", why: "simulated: containers are played, not run" };
    case "process":
      return { kind: "process", why: "process: containers are processes of this user, with nothing between them and the machine" };
    case "cri": {
      if (nodes > 1) {
        checkMachine();
        return { kind: "cri", why: `containers of ${nodes} nodes, each with a network namespace and a containerd of its own` };
      }
      const problem = await problemWith(runtimeEndpoint);
      if (problem !== undefined) throw new StartError(`no container runtime answers at ${runtimeEndpoint}: ${problem}`);
      return { kind: "cri", why: `containers of ${runtimeEndpoint}` };
    }
    case "auto": {
      if (nodes > 1) return { kind: "simulated", why: "simulated, since there are several" };
      const problem = await problemWith(runtimeEndpoint);
      if (problem === undefined) return { kind: "cri", why: `containers of ${runtimeEndpoint}` };
      return { kind: "simulated", why: `simulated, since no container runtime answers at ${runtimeEndpoint} (${problem})` };
    }
  }
}

/** Undefined when a server listens there and accepts this user. */
function problemWith(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(answerMs, () => end("it does not answer"));
    socket.once("connect", () => end(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => end(reasons[error.code ?? ""] ?? error.message));
  });
}

const reasons: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ENOENT: "there is none",
  EACCES: "permission denied",
  ECONNREFUSED: "connection refused",
};
