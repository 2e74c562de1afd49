/** What the harness itself wants of etcd, by its JSON gateway: never what servers use. */

async function ask<T>(url: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(2_000) });
  const found = (await answer.json()) as T & { readonly error?: string; readonly message?: string };
  if (!answer.ok) throw new Error(`etcd: ${path}: ${found.message ?? found.error ?? answer.status}`);
  return found;
}

interface Header {
  readonly header: { readonly revision?: string; readonly member_id: string };
}

export async function isEtcdHealthy(url: string): Promise<boolean> {
  try {
    // Answered by a leader with a majority, so it needs both.
    await ask(url, "kv/range", { key: encode("health") });
    return true;
  } catch {
    return false;
  }
}

export const etcdRevision = async (url: string): Promise<number> =>
  Number((await ask<Header>(url, "kv/range", { key: encode("health") })).header.revision ?? 1);

export async function compactEtcd(url: string, revision: number): Promise<void> {
  await ask(url, "kv/compaction", { revision: String(revision) });
}

/** In hexadecimal digits, as members call themselves in headers of their own connections. */
export const memberId = async (url: string): Promise<string> =>
  BigInt((await ask<Header>(url, "maintenance/status", {})).header.member_id).toString(16);

/** Gives space back that older revisions took, and lets writes go on. */
export async function makeRoom(url: string): Promise<void> {
  await compactEtcd(url, await etcdRevision(url));
  await ask(url, "maintenance/defragment", {});
  const { alarms = [] } = await ask<{ readonly alarms?: readonly object[] }>(url, "maintenance/alarm", { action: "GET" });
  for (const alarm of alarms) await ask(url, "maintenance/alarm", { ...alarm, action: "DEACTIVATE" });
}

const encode = (key: string): string => Buffer.from(key).toString("base64");
