/** The server of a test's cluster, on a store that is there already. */
import {
  type AdmissionChoice,
  type ApiServer,
  createServer,
  type KubeletOptions,
  type Log,
  Metrics,
  type ServerOptions,
  type TokenUser,
  tokenAuthenticator,
  versionInfo,
} from "@coxswain/apiserver";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import manifest from "../../../package.json" with { type: "json" };
import { InProcessCallers } from "../../in-process/in-process-callers.ts";
import type { ServingCredentials } from "../../pki/credentials.ts";

export interface ControlPlane {
  readonly server: ApiServer;
  readonly callers: InProcessCallers;
}

export interface ControlPlaneOptions extends Pick<ServerOptions, "history" | "isReadOnly"> {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly credentials: ServingCredentials;
  readonly serviceAccountKey: string;
  /** Known by their tokens to who comes over the network. */
  readonly users: readonly TokenUser[];
  readonly admission?: AdmissionChoice;
  readonly kubelets?: KubeletOptions;
  readonly serviceClusterIpRange?: readonly string[];
}

export async function startControlPlane({ credentials, users, ...given }: ControlPlaneOptions): Promise<ControlPlane> {
  const callers = new InProcessCallers();
  const server = await createServer({
    ...given,
    log: silent,
    observesReads: true,
    authenticators: [callers.authenticator, tokenAuthenticator(users)],
    authority: {
      get cert() {
        return credentials.authority;
      },
      get key() {
        return credentials.authorityKey;
      },
    },
    metrics: new Metrics({ startedAt: given.clock.now() / 1000, build: versionInfo(manifest.version, platform) }),
    tls: credentials,
    version: manifest.version,
    platform,
  });
  return { server, callers };
}

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** As Kubernetes names it. */
const platform = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
