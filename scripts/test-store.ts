/** The etcds of a run of the tests: built before it, so that no test waits for that, and one for all where servers have their state there. */
import { buildEtcd } from "../tests/etcd-program.ts";
import { startEtcd } from "../tests/etcd-server.ts";

export interface EtcdForTests extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

const isEtcd = process.env.COXSWAIN_STORE === "etcd";
const isGiven = process.env.COXSWAIN_ETCD_SERVERS !== undefined;

export async function etcdForTests({ all }: { readonly all: boolean }): Promise<EtcdForTests> {
  if (all || (isEtcd && !isGiven)) {
    const built = await buildEtcd();
    if ("missing" in built) console.error(`${built.missing}\nTests take the etcd in the path, if there is one.`);
  }
  if (!isEtcd || isGiven) return { env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const etcd = await startEtcd();
  return { env: { COXSWAIN_ETCD_SERVERS: etcd.url }, [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose]() };
}
