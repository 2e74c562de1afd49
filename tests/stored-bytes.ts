import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { etcdOptions } from "./store-options.ts";

/** All that is stored of the command with a data directory: the files there and, where its state is in etcd, the values there. */
export async function storedBytes(dataDir: string): Promise<Buffer> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const inFiles = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  const etcd = etcdOptions(dataDir);
  return Buffer.concat(etcd === undefined ? inFiles : [...inFiles, ...(await valuesBelow(etcd.servers, etcd.prefix))]);
}

/** As etcd's own gateway for JSON has them. */
async function valuesBelow(servers: string, prefix: string): Promise<Buffer[]> {
  const key = Buffer.from(`${prefix}/`).toString("base64");
  const end = Buffer.from(`${prefix}0`).toString("base64");
  const answer = await fetch(`${servers.split(",", 1)[0]}/v3/kv/range`, { method: "POST", body: JSON.stringify({ key, range_end: end }) });
  if (!answer.ok) throw new Error(await answer.text());
  const { kvs = [] } = (await answer.json()) as { kvs?: { value?: string }[] };
  return kvs.map(({ value = "" }) => Buffer.from(value, "base64"));
}
