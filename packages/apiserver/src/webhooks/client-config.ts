/** Where a webhook is, as CustomResourceDefinitions and webhook configurations say it. */
import { posix } from "node:path";
import { WebhookError } from "./webhook-error.ts";

export interface WebhookClientConfig {
  readonly url?: string | null;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string | null;
    /** Default 443. */
    readonly port?: number | null;
  } | null;
  /** PEM in base64; without it, the machine's authorities count. */
  readonly caBundle?: string | null;
}

/** A place to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** Whose address it is said to be. */
  readonly pod?: { readonly namespace: string; readonly name: string };
  /** Whether each connection may come to another server. */
  readonly isVirtual?: boolean;
  /** Whether this server itself is meant. */
  readonly isOwn?: boolean;
}

/** Where the Service's requests go now. @throws Error with the reason why there is none */
export type ServiceResolver = (namespace: string, name: string, port: number) => Promise<Endpoint>;

export interface WebhookTarget {
  /** As error messages name it: without the timeout. */
  readonly url: string;
  readonly hostHeader: string;
  readonly path: string;
  /** The name that its certificate must have. */
  readonly serverName: string;
  /** Called for each request: a Service's endpoints come and go. */
  readonly endpoint: () => Promise<Endpoint>;
}

/** Where a webhook is that names no port. */
export const httpsPort = 443;

/** The query of a URL does not count, as with Kubernetes. @param otherName that its certificate must have instead of the host's @throws WebhookError for what cannot be called */
export function targetOf({ url, service }: WebhookClientConfig, resolve: ServiceResolver, otherName = ""): WebhookTarget {
  if (service !== undefined && service !== null) {
    const { name, namespace } = service;
    const port = service.port || httpsPort;
    const serverName = `${name}.${namespace}.svc`;
    const hostHeader = `${serverName}:${port}`;
    const path = cleaned(service.path ?? "");
    return { url: `https://${hostHeader}${path}`, hostHeader, path, serverName, endpoint: () => resolve(namespace, name, port) };
  }
  if (url === undefined || url === null || url === "")
    throw new WebhookError("webhook configuration must have either service or URL", { uncallable: true });
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== "https:")
    throw new WebhookError(`"https" is the only way to call a webhook, not ${url}`, { uncallable: true });
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  const endpoint = { host, port: parsed.port === "" ? httpsPort : Number(parsed.port) };
  const path = cleaned(parsed.pathname);
  return {
    url: `https://${parsed.host}${path}`,
    hostHeader: parsed.host,
    path,
    serverName: otherName || host,
    endpoint: async () => endpoint,
  };
}

/** As Go's `path.Join` leaves it: what stands there twice, as envtest writes it, is no redirect then. */
function cleaned(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 && joined.endsWith("/") ? joined.slice(0, -1) : joined;
}
