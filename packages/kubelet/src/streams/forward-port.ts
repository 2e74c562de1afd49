/** Joins a client's connection with one to a port of a Pod; each direction ends by itself. */
import { messageOf } from "@coxswain/machinery";
import type { Duplexed } from "../runtime/pod-runtime.ts";

export interface ForwardedConnection {
  readonly port: number;
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when more may follow. Rejects when the client is gone. */
  write(chunk: Uint8Array): Promise<void>;
  /** Nothing more is written. */
  end(): void;
  /** Reports an error to the client. */
  fail(message: string): Promise<void>;
}

export interface ForwardTarget {
  /** As the client knows it, for messages. */
  readonly pod: string;
  readonly uid: string;
  dial(port: number, signal: AbortSignal): Promise<Duplexed>;
}

/** Never rejects: failures are reported to the client. */
export async function forwardPort(client: ForwardedConnection, { pod, uid, dial }: ForwardTarget, signal: AbortSignal): Promise<void> {
  try {
    using target = await dial(client.port, signal);
    const up = send(client.readable, target).catch(() => target.end());
    await receive(target, client);
    await up;
  } catch (error) {
    const message = messageOf(error);
    await client.fail(`error forwarding port ${client.port} to pod ${pod}, uid ${uid}: ${message}`).catch(() => undefined);
  } finally {
    client.end();
  }
}

async function send(readable: AsyncIterable<Uint8Array>, target: Duplexed): Promise<void> {
  for await (const chunk of readable) await target.write(chunk);
  target.end();
}

async function receive(target: Duplexed, client: ForwardedConnection): Promise<void> {
  for await (const chunk of target.readable) await client.write(chunk);
  client.end();
}
