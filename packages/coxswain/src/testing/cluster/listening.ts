/** A test's cluster on a port of its own, for kubectl and for clients in other processes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiServer, TokenUser } from "@coxswain/apiserver";
import { type AsyncDisposableStack, systemClock } from "@coxswain/machinery";
import { writeKubeconfig } from "../../access/kubeconfig.ts";
import { pemMemory } from "../../access/private-file.ts";
import { type ServingCredentials, servingCredentials } from "../../pki/credentials.ts";

/** Where a test's cluster is reached over the network. */
export interface Listening {
  /** The URL. */
  readonly server: string;
  /** A file that ends with the cluster. */
  readonly kubeconfig: string;
}

/** Makes keys and certificates when one of them is first needed: most tests never do. Their time is the real one, as that of the clients. */
export function lazyCredentials(): ServingCredentials {
  let made: ServingCredentials | undefined;
  const all = (): ServingCredentials => {
    made ??= servingCredentials(pemMemory(), { dns: ["localhost"], ip: ["127.0.0.1"] }, systemClock.now());
    return made;
  };
  return {
    get authority() {
      return all().authority;
    },
    get authorityKey() {
      return all().authorityKey;
    },
    get cert() {
      return all().cert;
    },
    get key() {
      return all().key;
    },
  };
}

export interface ListenOptions {
  /** The first is the administrator, whose context is the current one. */
  readonly users: readonly [TokenUser, ...TokenUser[]];
  readonly credentials: ServingCredentials;
  readonly owner: AsyncDisposableStack;
}

/** Whatever is made here ends with `owner`. */
export async function listen(server: ApiServer, { users: [admin, ...others], credentials, owner }: ListenOptions): Promise<Listening> {
  const { port } = await server.listen(0, "127.0.0.1");
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  owner.defer(() => rmSync(directory, { recursive: true, force: true }));
  const listening = { server: `https://127.0.0.1:${port}`, kubeconfig: join(directory, "kubeconfig") };
  writeKubeconfig(listening.kubeconfig, { server: listening.server, authority: credentials.authority, token: admin.token, others });
  return listening;
}
