/** Runs commands in containers, and takes part in what runs there already. */
import { parseJson, type Status, StatusError } from "@coxswain/machinery";
import type { Client, Target } from "../contracts/client.ts";
import type { Cancellable } from "../transport/cancellable.ts";
import { ConnectionError, type Socket } from "../transport/transport.ts";
import { channelMessages, closeChannel, onChannel, sendOnChannel } from "./channels.ts";
import { openSocket, podPath } from "./pod-path.ts";

/** Options of `podAttach`: which container, and which of its streams. */
export interface AttachOptions extends Cancellable {
  /** Default: the one that the Pod's annotation names, or else its first. */
  readonly container?: string | undefined;
  /** Whether anything will be written. Default: false. */
  readonly stdin?: boolean;
  /** Default: true. */
  readonly stdout?: boolean;
  /** Default: true, but false with a terminal, which knows only one output. */
  readonly stderr?: boolean;
  /** Default: false. */
  readonly tty?: boolean;
}

/** Options of `podExec`: which command, and which of its streams. */
export interface ExecOptions extends AttachOptions {
  /** The program and its arguments; no shell is between. */
  readonly command: readonly string[];
}

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A part of what a program in a container printed. */
export interface Output {
  readonly from: "stdout" | "stderr";
  readonly data: Uint8Array;
}

/** A program in a container, whose standard streams come over one WebSocket. Disposing it closes the connection. */
export interface PodProcess extends Disposable {
  /** In the order of arrival, until the program ends; once. Who does not read makes the program wait. */
  readonly output: AsyncIterable<Output>;
  /**
   * The exit code, after the rest of the output, which is discarded.
   * @throws StatusError when it could not be run, ConnectionError when it is not known how it ended
   */
  exit(): Promise<number>;
  /** Resolves once it is handed on. */
  write(data: Uint8Array): Promise<void>;
  /** Ends the standard input. @throws Error with servers before Kubernetes 1.30, which know no such thing */
  end(): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Gives up the connection; the program may go on. */
  close(): void;
}

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Runs a command in a container. @throws StatusError when the server refuses, ConnectionError */
export const podExec = (client: Client, target: Target, opts: ExecOptions): Promise<PodProcess> =>
  start(client, podPath(client, target, "exec", { ...queryOf(opts), command: opts.command }), opts);

/** Attaches to the main program of a container. @throws StatusError when the server refuses, ConnectionError */
export const podAttach = (client: Client, target: Target, opts: AttachOptions = {}): Promise<PodProcess> =>
  start(client, podPath(client, target, "attach", queryOf(opts)), opts);

const queryOf = ({ container, stdin = false, stdout = true, tty = false, stderr = !tty }: AttachOptions) => ({
  container,
  stdin,
  stdout,
  stderr,
  tty,
});

async function start(client: Client, path: string, { signal }: AttachOptions): Promise<PodProcess> {
  return new SocketProcess(await openSocket(client, path, protocols, signal));
}

class SocketProcess implements PodProcess {
  readonly output: AsyncIterable<Output>;
  readonly #socket: Socket;
  readonly #reading: AsyncGenerator<Output>;
  #status: Partial<Status> | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#reading = this.#read();
    // Leaving a loop over the output early must not end it: `exit` reads on.
    this.output = { [Symbol.asyncIterator]: () => ({ next: () => this.#reading.next() }) };
  }

  async exit(): Promise<number> {
    for await (const _ of this.output);
    if (this.#status === undefined) throw new ConnectionError("the connection ended before the server said how the program did");
    return exitCode(this.#status);
  }

  write(data: Uint8Array): Promise<void> {
    return sendOnChannel((message) => this.#socket.send(message), channels.stdin, data);
  }

  async end(): Promise<void> {
    const { protocol } = this.#socket;
    if (protocol !== protocols[0]) throw new Error(`the server speaks ${protocol}, in which the standard input has no end`);
    await this.#socket.send(Uint8Array.of(closeChannel, channels.stdin));
  }

  resize({ columns, rows }: TerminalSize): Promise<void> {
    const size = new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows }));
    return this.#socket.send(onChannel(channels.resize, size));
  }

  close(): void {
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async *#read(): AsyncGenerator<Output> {
    for await (const { channel, data } of channelMessages(this.#socket.messages())) {
      if (channel === channels.stdout) yield { from: "stdout", data };
      else if (channel === channels.stderr) yield { from: "stderr", data };
      else if (channel === channels.error) {
        this.#status = parseJson(data) as Partial<Status>;
        // It is the last word; not every server hangs up after it.
        this.#socket.close();
        return;
      }
    }
  }
}

/** @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/util/remotecommand/constants.go */
function exitCode(status: Partial<Status>): number {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message);
  if (status.reason !== "NonZeroExitCode" || !Number.isInteger(code)) throw new StatusError(status as Status);
  return code;
}
