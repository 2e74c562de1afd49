/** What is in etcd, byte by byte, by its gateway for JSON: not by the code under test. */

const text = (value: string): string => Buffer.from(value).toString("base64");

/** Key by key. */
export async function keyValuesBelow(url: string, prefix: string): Promise<{ readonly key: string; readonly value: Buffer }[]> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const answer = await fetch(`${url}/v3/kv/range`, { method: "POST", body: JSON.stringify({ key: text(prefix), range_end: text(end) }) });
  if (!answer.ok) throw new Error(await answer.text());
  const { kvs = [] } = (await answer.json()) as { readonly kvs?: readonly { readonly key: string; readonly value?: string }[] };
  return kvs.map(({ key, value = "" }) => ({ key: Buffer.from(key, "base64").toString(), value: Buffer.from(value, "base64") }));
}

/** Without the keys. */
export const valuesBelow = async (url: string, prefix: string): Promise<Buffer[]> =>
  (await keyValuesBelow(url, prefix)).map(({ value }) => value);
