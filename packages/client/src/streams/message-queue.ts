/** Messages that have arrived and wait to be read. One reader. */

export interface MessageQueueOptions {
  /** So many bytes wait that the peer should. */
  readonly onFull?: () => void;
  /** About half of them are read. */
  readonly onRoom?: () => void;
}

/** What waits before the peer should; bytes. */
export const maxUnreadBytes = 1024 * 1024;

export class MessageQueue {
  readonly #options: MessageQueueOptions;
  readonly #unread: Uint8Array[] = [];
  #bytes = 0;
  #full = false;
  #ended: { readonly error: unknown } | undefined;
  #wake = (): void => undefined;

  constructor(options: MessageQueueOptions = {}) {
    this.#options = options;
  }

  get unreadBytes(): number {
    return this.#bytes;
  }

  /** Why it ended, if it did and there is a reason. */
  get error(): unknown {
    return this.#ended?.error;
  }

  push(message: Uint8Array): void {
    if (this.#ended !== undefined) return;
    this.#unread.push(message);
    this.#bytes += message.byteLength;
    if (this.#bytes >= maxUnreadBytes && !this.#full) {
      this.#full = true;
      this.#options.onFull?.();
    }
    this.#wake();
  }

  /** Only the first end counts. With an error, reading throws it once what came before is read. */
  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  async *messages(): AsyncIterable<Uint8Array> {
    for (;;) {
      const message = this.#unread.shift();
      if (message !== undefined) {
        this.#take(message);
        yield message;
      } else if (this.#ended !== undefined) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #take(message: Uint8Array): void {
    this.#bytes -= message.byteLength;
    if (!this.#full || this.#bytes >= maxUnreadBytes / 2) return;
    this.#full = false;
    this.#options.onRoom?.();
  }
}
