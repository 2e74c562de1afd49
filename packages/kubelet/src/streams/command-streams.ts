/** What a client of `exec` and `attach` has at the other end of its connection, whichever protocol it speaks. */

import type { Status } from "@coxswain/machinery";

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface CommandStreams {
  /** Ends when the client says so, or is gone. Undefined where it was not asked for. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  readonly sizes: AsyncIterable<TerminalSize> | undefined;
  /** Resolves when more may follow. Rejects when the client is gone. */
  writeStdout(chunk: Uint8Array): Promise<void>;
  writeStderr(chunk: Uint8Array): Promise<void>;
  /** Says how it went and hangs up: a Status, or for old protocols its message. */
  finish(status: CommandStatus): Promise<void>;
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>;
}

export type CommandStatus = Partial<Status>;

/** Since version 4 a Status has the outcome, before only failures were sent, as text. */
export const statusBytes = (status: CommandStatus, structured: boolean): Uint8Array =>
  structured ? Buffer.from(JSON.stringify(status)) : Buffer.from(status.status === "Success" ? "" : (status.message ?? ""));

const maxSizeLength = 1024;

/** JSON objects in a stream of bytes; what is none ends it. */
export async function* terminalSizes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize, void, undefined> {
  let text = "";
  for await (const chunk of bytes) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}")) {
      const size = sizeIn(text.slice(0, end + 1));
      if (size === undefined) return;
      yield size;
      text = text.slice(end + 1);
    }
    if (text.length > maxSizeLength) return;
  }
}

function sizeIn(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text);
    return isSize(width) && isSize(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff;
