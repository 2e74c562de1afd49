/**
 * A link between two processes: a TCP proxy that does to its connections what networks do. Bytes are never lost in the middle of a
 * connection: what is cut either goes on later, or ends.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** "to" is towards the target. */
export type Direction = "to" | "from" | "both";

export interface LinkOptions {
  readonly name: string;
  readonly host?: string;
  readonly targetPort: number;
  /** Who has connected, by the first bytes; undefined where these do not say it. */
  readonly identify?: (head: Buffer) => string | undefined;
}

/** What is done to connections until it is lifted. */
interface Rule {
  readonly direction: Direction;
  /** Only to connections of this client. */
  readonly client?: string;
  /** Undefined: nothing passes. Milliseconds. */
  readonly delayMs?: number;
}

/** More is not read from the sender, who then has to wait, as with a full window of TCP. */
const maxQueuedBytes = 256 * 1024;

export class Link implements AsyncDisposable {
  readonly name: string;
  readonly #options: LinkOptions;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #rules = new Set<Rule>();

  constructor(options: LinkOptions) {
    this.name = options.name;
    this.#options = options;
    this.#server = createServer((client) => this.#accept(client));
  }

  async listen(port = 0): Promise<number> {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections there are. */
  get size(): number {
    return this.#connections.size;
  }

  /** Nothing passes, and neither side is told, until what is returned is disposed of. */
  block(rule: Omit<Rule, "delayMs">): Disposable {
    return this.#apply(rule);
  }

  delay(rule: Required<Pick<Rule, "delayMs">> & Rule): Disposable {
    return this.#apply(rule);
  }

  /** Each connection ends in the middle of what the target sends next, after so many bytes. */
  reset(afterBytes: number): void {
    for (const connection of this.#connections) connection.resetAfter(afterBytes);
  }

  destroyConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.destroyConnections();
  }

  #apply(rule: Rule): Disposable {
    this.#rules.add(rule);
    return {
      [Symbol.dispose]: () => {
        this.#rules.delete(rule);
        for (const connection of this.#connections) connection.flow();
      },
    };
  }

  #accept(client: Socket): void {
    const { host = "127.0.0.1", targetPort, identify } = this.#options;
    const target = connect({ port: targetPort, host });
    const connection: Connection = new Connection(client, target, {
      identify,
      delayOf: (direction, name) => this.#delayOf(direction, name),
      onEnd: () => void this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }

  /** Infinity: nothing passes. */
  #delayOf(direction: Direction, client: string | undefined): number {
    let delay = 0;
    for (const rule of this.#rules) {
      if (rule.direction !== "both" && rule.direction !== direction) continue;
      if (rule.client !== undefined && rule.client !== client) continue;
      delay = Math.max(delay, rule.delayMs ?? Number.POSITIVE_INFINITY);
    }
    return delay;
  }
}

interface ConnectionOptions {
  readonly identify: LinkOptions["identify"];
  readonly delayOf: (direction: Direction, client: string | undefined) => number;
  readonly onEnd: () => void;
}

class Connection {
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #pipes: readonly Pipe[];
  readonly #onEnd: () => void;
  #name: string | undefined;
  #isEnded = false;

  constructor(client: Socket, target: Socket, { identify, delayOf, onEnd }: ConnectionOptions) {
    [this.#client, this.#target, this.#onEnd] = [client, target, onEnd];
    const reset = (): void => this.destroy();
    if (identify !== undefined) client.prependListener("data", (piece: Buffer) => (this.#name ??= identify(piece)));
    this.#pipes = [
      new Pipe(client, target, { delayMs: () => delayOf("to", this.#name), reset }),
      new Pipe(target, client, { delayMs: () => delayOf("from", this.#name), reset }),
    ];
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.#lost());
      socket.on("close", () => this.#lost());
    }
  }

  flow(): void {
    if (this.#isEnded) this.destroy();
    for (const pipe of this.#pipes) pipe.flow();
  }

  resetAfter(bytes: number): void {
    (this.#pipes[1] as Pipe).resetAfter(bytes);
  }

  destroy(): void {
    for (const pipe of this.#pipes) pipe.stop();
    for (const socket of [this.#client, this.#target]) reset(socket);
    this.#onEnd();
  }

  /** One side is gone; the other learns of it when that can reach it. */
  #lost(): void {
    this.#isEnded = true;
    if (this.#pipes.every((pipe) => !pipe.isBlocked)) this.destroy();
  }
}

/** One that is not connected yet, or already closed, cannot be reset: Node would wait for it for ever when the process ends. */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

interface PipeOptions {
  readonly delayMs: () => number;
  readonly reset: () => void;
}

/** One direction of a connection. */
class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #options: PipeOptions;
  /** `undefined` is the end. */
  #queue: { readonly piece: Buffer | undefined; readonly arrived: number }[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #bytesToReset: number | undefined;

  constructor(from: Socket, to: Socket, options: PipeOptions) {
    [this.#from, this.#to, this.#options] = [from, to, options];
    from.on("data", (piece: Buffer) => this.#take(piece));
    from.on("end", () => this.#take(undefined));
    to.on("drain", () => this.flow());
  }

  get isBlocked(): boolean {
    return this.#options.delayMs() === Number.POSITIVE_INFINITY;
  }

  resetAfter(bytes: number): void {
    this.#bytesToReset = bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
  }

  flow(): void {
    clearTimeout(this.#timer);
    while (this.#queue[0] !== undefined && !this.#to.writableNeedDrain && !this.isBlocked) {
      const { piece, arrived } = this.#queue[0];
      const wait = arrived + this.#options.delayMs() - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.flow(), Math.ceil(wait));
        return;
      }
      this.#queue.shift();
      if (piece === undefined) this.#to.end();
      else if (!this.#send(piece)) return;
    }
    if (this.#queuedBytes < maxQueuedBytes) this.#from.resume();
  }

  #take(piece: Buffer | undefined): void {
    this.#queue.push({ piece, arrived: performance.now() });
    this.#queuedBytes += piece?.length ?? 0;
    if (this.#queuedBytes >= maxQueuedBytes) this.#from.pause();
    this.flow();
  }

  /** False where the connection has ended with it. */
  #send(piece: Buffer): boolean {
    this.#queuedBytes -= piece.length;
    if (this.#bytesToReset !== undefined && piece.length >= this.#bytesToReset) {
      this.#to.write(piece.subarray(0, this.#bytesToReset), () => this.#options.reset());
      this.stop();
      return false;
    }
    if (this.#bytesToReset !== undefined) this.#bytesToReset -= piece.length;
    this.#to.write(piece);
    return true;
  }
}
