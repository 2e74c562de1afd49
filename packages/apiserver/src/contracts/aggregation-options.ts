import type { ContentProvider } from "./content-provider.ts";

/** A certificate and its private key, in PEM. */
export interface ProxyClientPair {
  readonly cert: string;
  readonly key: string;
}

/** How the server passes requests on to the servers that APIServices name. */
export interface AggregationOptions {
  /** By what those servers know that the headers with the user come from this one. Default: nothing. */
  readonly proxyClient?: ContentProvider<ProxyClientPair> | undefined;
  /** Whether clients get to see where such a server redirects them to. Default: they do not. */
  readonly forwardRedirects?: boolean | undefined;
  /** Whether they may have addresses of this machine alone. Default: where kubelets may. */
  readonly loopback?: boolean | undefined;
}
