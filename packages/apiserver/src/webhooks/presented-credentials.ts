/** Credentials as they are now: files are read again from time to time, for they may have been replaced. */
import { readFile } from "node:fs/promises";
import { type Clock, messageOf } from "@coxswain/machinery";
import type { FileOrText, WebhookCredentials } from "../contracts/webhook-credentials.ts";
import { WebhookError } from "./webhook-error.ts";

/** What is shown to a webhook. */
export interface PresentedCredentials {
  /** PEM, both; empty for none. */
  readonly certificate: string;
  readonly key: string;
  /** The header's value; empty for none. */
  readonly authorization: string;
}

/** As client-go: half of what the kubelet leaves between writing a new token and the end of the old one. */
const periodMs = 60_000;

export class CredentialFiles {
  readonly #clock: Clock;
  readonly #read = new Map<string, { readonly text: string; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws WebhookError for a file that was never there */
  async present({ certificate, key, token, username = "", password = "" }: WebhookCredentials): Promise<PresentedCredentials> {
    const bearer = (await this.#textOf(token)).trim();
    const basic = username === "" && password === "" ? "" : `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    return {
      certificate: await this.#textOf(certificate),
      key: await this.#textOf(key),
      authorization: bearer === "" ? basic : `Bearer ${bearer}`,
    };
  }

  async #textOf({ path, text }: FileOrText = {}): Promise<string> {
    if (path === undefined) return text ?? "";
    const known = this.#read.get(path);
    const now = this.#clock.monotonic();
    if (known !== undefined && now - known.at < periodMs) return known.text;
    try {
      const fresh = await readFile(path, "utf8");
      this.#read.set(path, { text: fresh, at: now });
      return fresh;
    } catch (error) {
      const older = known?.text ?? text;
      if (older === undefined) throw new WebhookError(messageOf(error), { uncallable: true });
      return older;
    }
  }
}
