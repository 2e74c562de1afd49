/** Asks another process whether NetworkPolicies count for a Pod. */
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { NetworkedPod } from "@coxswain/kubelet";
import { type Clock, sleep } from "@coxswain/machinery";
import type { IsolationOptions } from "@coxswain/network-policy";
import type { AskIsolation } from "./isolate-pod.ts";
import { answers } from "./isolation-server.ts";

/** Between attempts at a process that does not answer. Milliseconds. */
const retryMs = 200;

/** It may be started again meanwhile: it is asked until it answers, or the signal ends that. */
export const askBySocket =
  (path: string, clock: Clock): AskIsolation =>
  async (pod, options) => {
    while (!(await askOnce(path, pod, options))) await sleep(clock, retryMs, options.signal);
  };

/** Whether it has answered. */
function askOnce(path: string, pod: NetworkedPod, { onSelected, signal }: IsolationOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, signal });
    let isIsolated = false;
    // Its end follows, which says so.
    const failed = (): void => undefined;
    const lines = createInterface(socket).on("line", (line) => {
      if (line === answers.selected) onSelected();
      else isIsolated = line === answers.isolated;
    });
    lines.on("error", failed);
    socket.on("error", failed);
    socket.once("connect", () => socket.write(`${JSON.stringify(pod)}\n`));
    socket.once("close", () => (signal.aborted ? reject(signal.reason) : resolve(isIsolated)));
  });
}
