/**
 * Reads what a container writes, and keeps it as a log in the format that all container runtimes use. Whoever is attached
 * reads it too. The pipes are held open here, so that they end when this and all other holders have closed them.
 */
import { close, constants, createWriteStream, type WriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Clock } from "@coxswain/machinery";
import { formatCriLogLine } from "../logs/cri-log-line.ts";
import { openPipe } from "./left-by-container.ts";

export type StreamName = "stdout" | "stderr";
export type Listener = (stream: StreamName, chunk: Buffer) => void;

/** Lines are broken where other runtimes break them. */
const maxLineLength = 16 * 1024;
const lineFeed = 0x0a;
/** Whatever still holds a pipe after the container has ended does not keep it. */
const drainMs = 1_000;

export class OutputRecorder {
  readonly #logPath: string;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  readonly #open: { readonly socket: Socket; readonly writer: number; readonly ended: Promise<void> }[] = [];
  #file: WriteStream | undefined;

  constructor(logPath: string, clock: Clock) {
    this.#logPath = logPath;
    this.#clock = clock;
  }

  async start(directory: string): Promise<void> {
    if (this.#logPath !== "") {
      await mkdir(dirname(this.#logPath), { recursive: true });
      this.#file = this.#openLog();
    }
    for (const name of ["stdout", "stderr"] as const) this.#open.push(await this.#read(name, join(directory, name)));
  }

  /** Called with each chunk; it must not take long. */
  listen(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  reopen(): void {
    if (this.#file === undefined) return;
    this.#file.end();
    this.#file = this.#openLog();
  }

  /** What was written is in the log then. */
  async finish(): Promise<void> {
    for (const { writer } of this.#open) close(writer, () => undefined);
    const late = Promise.withResolvers<void>();
    using _ = this.#clock.schedule(drainMs, () => late.resolve());
    await Promise.race([Promise.all(this.#open.map(({ ended }) => ended)), late.promise]);
    for (const { socket } of this.#open) socket.destroy();
    const file = this.#file;
    this.#file = undefined;
    await new Promise<void>((resolve) => (file === undefined || file.destroyed ? resolve() : file.end(() => resolve())));
  }

  /** The container runs on; its output waits in the pipes. */
  letGo(): void {
    for (const { socket, writer } of this.#open) {
      socket.destroy();
      close(writer, () => undefined);
    }
    this.#file?.end();
  }

  #openLog(): WriteStream {
    // A full disk loses lines; it does not end the container.
    return createWriteStream(this.#logPath, { flags: "a", mode: 0o600 }).on("error", () => undefined);
  }

  async #read(name: StreamName, path: string) {
    const reader = await openPipe(path, constants.O_RDONLY);
    const writer = await openPipe(path, constants.O_WRONLY);
    const socket = new Socket({ fd: reader, readable: true, writable: false });
    const lines = new LineBreaker(name);
    const ended = new Promise<void>((resolve) => {
      socket.on("error", () => undefined);
      socket.once("close", () => {
        for (const line of lines.rest(this.#time())) this.#file?.write(line);
        resolve();
      });
    });
    socket.on("data", (chunk: Buffer) => {
      for (const listener of this.#listeners) listener(name, chunk);
      this.#write(lines.take(chunk, this.#time()), socket);
    });
    return { socket, writer, ended };
  }

  #write(lines: readonly Uint8Array[], socket: Socket): void {
    const file = this.#file;
    if (file === undefined || lines.length === 0 || file.write(Buffer.concat(lines)) || file.destroyed) return;
    socket.pause();
    file.once("drain", () => socket.resume());
    file.once("close", () => socket.resume());
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString().replace("Z", "000000Z");
  }
}

/** Breaks one stream into lines of the log. */
export class LineBreaker {
  readonly #stream: StreamName;
  #begun: Buffer[] = [];
  #size = 0;

  constructor(stream: StreamName) {
    this.#stream = stream;
  }

  take(chunk: Buffer, time: string): readonly Uint8Array[] {
    const lines: Uint8Array[] = [];
    for (let at = 0; at < chunk.length; ) {
      const room = at + maxLineLength - this.#size;
      const end = chunk.indexOf(lineFeed, at);
      if (end >= 0 && end <= room) {
        lines.push(this.#line(chunk.subarray(at, end), time, false));
        at = end + 1;
      } else if (chunk.length >= room) {
        lines.push(this.#line(chunk.subarray(at, room), time, true));
        at = room;
      } else {
        this.#begun.push(chunk.subarray(at));
        this.#size += chunk.length - at;
        at = chunk.length;
      }
    }
    return lines;
  }

  /** A last line without an end. */
  rest(time: string): readonly Uint8Array[] {
    return this.#size === 0 ? [] : [this.#line(Buffer.alloc(0), time, false)];
  }

  #line(last: Buffer, time: string, partial: boolean): Uint8Array {
    const content = Buffer.concat([...this.#begun, last]);
    this.#begun = [];
    this.#size = 0;
    return formatCriLogLine({ time, stream: this.#stream, partial, content });
  }
}
