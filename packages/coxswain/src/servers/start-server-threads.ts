/** Brings up the threads of further API servers, and shows them to the first as one. */
import type { ApiServer, Metrics, ProcessPeer, Reply } from "@coxswain/apiserver";
import type { FollowedCertificates, ServerCertificates } from "../access/certificate-uses.ts";
import { connectionsText } from "./connections-text.ts";
import { ServerThreadHandle, type ServerThreadOptions } from "./server-thread-handle.ts";
import type { ServerContent, ServerThreadSettings } from "./server-thread-protocol.ts";

export interface ServerThreadsSettings extends Omit<ServerThreadOptions, "number" | "settings"> {
  /** With the first, which is none of these. */
  readonly servers: number;
  readonly settings: Omit<ServerThreadSettings, "store" | "number" | "certificates" | "components">;
  readonly certificates: FollowedCertificates;
  readonly metrics: Metrics;
}

export interface StartedServerThreads extends AsyncDisposable {
  healthy(): Promise<boolean>;
  announceShutdown: ApiServer["announceShutdown"];
  /** What each of them alone knows. */
  readonly peers: readonly ProcessPeer[];
}

export function startServerThreads({ servers, settings, certificates, metrics, ...rest }: ServerThreadsSettings): StartedServerThreads {
  const { serving, authority, frontProxyAuthority, frontProxyClient, kubelets } = certificates;
  const current = (): ServerCertificates => ({
    serving: serving.current,
    authority: authority.current,
    frontProxyAuthority: frontProxyAuthority.current,
    frontProxyClient: frontProxyClient.current,
    kubelets: kubelets.current,
  });
  const components = [...rest.componentHealth.keys()];
  const handles = Array.from(
    { length: servers - 1 },
    (_, i) => new ServerThreadHandle({ ...rest, number: i + 2, settings: () => ({ ...settings, components, certificates: current() }) }),
  );
  const send = (content: ServerContent): void => {
    for (const handle of handles) handle.send(content);
  };
  const owned: Disposable[] = [
    metrics.includePart(async () => connectionsText(1, rest.first)),
    ...handles.map((handle) => metrics.includePart(() => handle.metrics())),
    serving.subscribe((value) => send({ name: "serving", value })),
    authority.subscribe((value) => send({ name: "authority", value })),
    frontProxyAuthority.subscribe((value) => send({ name: "frontProxyAuthority", value })),
    frontProxyClient.subscribe((value) => send({ name: "frontProxyClient", value })),
    kubelets.subscribe((value) => send({ name: "kubelets", value })),
  ];
  // One that does not answer is left out: it has nothing to say.
  const none: Reply = { status: 404, contentType: "", body: { kind: "bytes", bytes: new Uint8Array(0) } };
  return {
    peers: handles.map((handle) => ({ serve: async (request) => (await handle.serve(request)) ?? none })),
    healthy: async () => (await Promise.all(handles.map((handle) => handle.healthy()))).every(Boolean),
    announceShutdown: async () => {
      await Promise.all(handles.map((handle) => handle.announceShutdown(rest.closeMs)));
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of owned) one[Symbol.dispose]();
      await Promise.all(handles.map((handle) => handle[Symbol.asyncDispose]()));
    },
  };
}
