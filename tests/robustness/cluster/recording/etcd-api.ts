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

/** Writes until there is no more space below the quota. */
export async function fillQuota(url: string): Promise<void> {
  const value = Buffer.alloc(1_000_000).toString("base64");
  for (let i = 0; i < 10_000; i++)
    try {
      await ask(url, "kv/put", { key: encode(`/junk/${i}`), value });
    } catch {
      // No space, or no etcd at present.
      return;
    }
}

/** Gives the space back, and lets writes go on. @throws Error while a member does not answer */
export async function makeRoom(urls: readonly string[]): Promise<void> {
  const [url = ""] = urls;
  await ask(url, "kv/deleterange", { key: encode("/junk/"), range_end: encode("/junk0") });
  // What is compacted already is fine, too.
  await compactEtcd(url, await etcdRevision(url)).catch(() => undefined);
  for (const each of urls) await ask(each, "maintenance/defragment", {});
  const { alarms = [] } = await ask<{ readonly alarms?: readonly object[] }>(url, "maintenance/alarm", { action: "GET" });
  for (const alarm of alarms) await ask(url, "maintenance/alarm", { ...alarm, action: "DEACTIVATE" });
}

const encode = (key: string): string => Buffer.from(key).toString("base64");
