/** Where the server itself listens: there it finds itself, whatever leads to its Service. */
import type { AddressInfo } from "node:net";
import type { Endpoint } from "../webhooks/client-config.ts";

export class OwnAddress {
  #current: Endpoint | undefined;

  constructor(current?: Endpoint) {
    this.#current = current;
  }

  /** Undefined: it does not listen. */
  get current(): Endpoint | undefined {
    return this.#current;
  }

  /** The first one stays. */
  listensAt({ address, port }: AddressInfo): void {
    const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
    this.#current ??= { host, port };
  }
}
