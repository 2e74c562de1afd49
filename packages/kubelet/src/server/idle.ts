import type { Socket } from "node:net";
import type { Clock, Timer } from "@coxswain/machinery";

/** Ends a connection over which nothing went for so long, in either direction. */
export function endWhenIdle(socket: Socket, idleMs: number, clock: Clock): Disposable {
  let timer: Timer | undefined;
  let before = -1;
  const check = (): void => {
    const { bytesRead, bytesWritten, destroyed } = socket;
    const now = bytesRead + bytesWritten;
    if (now === before) socket.destroy();
    if (destroyed || socket.destroyed) return;
    before = now;
    timer = clock.schedule(idleMs, check);
    timer.unref();
  };
  check();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}
