/** What webhooks are shown of this server, as a kubeconfig has it: data alone, so that every thread can have it. */

/** What is in a file, which may be replaced at any time; the text counts where there is none, or while it cannot be read. */
export interface FileOrText {
  readonly path?: string;
  readonly text?: string;
}

/** By what the server proves to a webhook who it is. */
export interface WebhookCredentials {
  /** PEM, both. */
  readonly certificate?: FileOrText;
  readonly key?: FileOrText;
  readonly token?: FileOrText;
  readonly username?: string;
  readonly password?: string;
}

/** The users of a kubeconfig, each for the webhooks that its name stands for. */
export interface WebhookUsers {
  /** By `HOST:PORT`, `*.SUFFIX:PORT`, either without the port where that is 443, or `*` for all others. */
  readonly byName: Readonly<Record<string, WebhookCredentials>>;
  /** The user of the current context, for all that have none by a name. */
  readonly current?: WebhookCredentials;
}

/** Where a webhook is, and what it is shown. */
export interface WebhookAccess {
  readonly url: string;
  /** PEM in base64; empty for the machine's authorities. */
  readonly caBundle: string;
  /** The name that its certificate must have; empty for that in the URL. */
  readonly serverName: string;
  /** Whether its certificate is not checked at all. */
  readonly isUnchecked: boolean;
  readonly credentials: WebhookCredentials;
}

/** Reads kubeconfigs; errors say what is wrong with them. */
export interface KubeconfigReader {
  /** All users of the file. */
  users(path: string): Promise<WebhookUsers>;
  /** Its current context. */
  access(path: string): Promise<WebhookAccess>;
}
