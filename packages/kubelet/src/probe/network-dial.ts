/** Probes and hooks over the network of this machine, each on a connection of its own. */
import { connect } from "node:net";
import type { Clock } from "@coxswain/machinery";
import { type Dial, type DialTarget, joinHostPort } from "./dial.ts";
import { dialError } from "./dial-error.ts";
import { exchangeHttp } from "./network-http.ts";

/** Connects over the network of this machine, as probes and hooks of a real node do. */
export const networkDial = (clock: Clock): Dial => ({
  http: (call, signal) => exchangeHttp(call, clock, signal),
  tcp: (target, signal) => openAndClose(target, clock, signal),
  async grpc(target, signal) {
    const { checkHealth } = await import("./network-grpc.ts");
    return await checkHealth(target, clock, signal);
  },
});

function openAndClose({ host, port, timeoutMs }: DialTarget, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port });
    const settle = (act: () => void) => {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      act();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const timer = clock.schedule(timeoutMs, () => settle(() => reject(new Error(`dial tcp ${joinHostPort(host, port)}: i/o timeout`))));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => settle(resolve));
    socket.on("error", (error) => settle(() => reject(new Error(dialError(error, host, port)))));
  });
}
