import type { WebhookCall, WebhookCaller, WebhookCallerOptions } from "./webhook-caller.ts";

/** The webhooks of one server. TLS is loaded with the first one that is asked: most servers ask none. */
export class Webhooks {
  readonly #options: WebhookCallerOptions;
  #caller: Promise<WebhookCaller> | undefined;

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  /** The body of a successful answer. @throws WebhookError */
  async call(call: WebhookCall): Promise<Buffer> {
    this.#caller ??= import("./webhook-caller.ts").then(({ WebhookCaller }) => new WebhookCaller(this.#options));
    const caller = await this.#caller;
    return caller.call(call);
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    const caller = await this.#caller;
    caller?.close();
  }
}
