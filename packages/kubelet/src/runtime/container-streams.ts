/** What goes in and out of a container while it runs. */

export interface TerminalRequest {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** stdout and stderr are one then. */
  readonly tty: boolean;
}

/** A command, or the container's first process, with its streams. Disposing it lets go of them. */
export interface Terminal extends Disposable {
  /** Ends with the streams; undefined where it was not asked for. */
  readonly stdout: AsyncIterable<Uint8Array> | undefined;
  readonly stderr: AsyncIterable<Uint8Array> | undefined;
  /** Resolves when more may follow. */
  writeStdin(chunk: Uint8Array): Promise<void>;
  endStdin(): void;
  resize(size: { readonly width: number; readonly height: number }): void;
  /** Exit code, once it has ended: of an attached container when that is known, else 0. Rejects with RuntimeError. */
  readonly exited: Promise<number>;
}

/** Says which part of a container's log is wanted, and whether lines that come later are wanted too. */
export interface LogOptions {
  readonly follow: boolean;
  /** Begin with the last so many lines; undefined for all. */
  readonly tailLines: number | undefined;
}

/** A line, or a part of one. */
export interface LogEntry {
  /** RFC 3339 with nanoseconds, as it stands in the log. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** The line goes on in the next entry of its stream. */
  readonly partial: boolean;
  /** Without the line's end. */
  readonly content: Uint8Array;
}
