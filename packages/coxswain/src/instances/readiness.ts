/** Whether a server that runs is ready, asked as a load balancer would. */
import { readFile } from "node:fs/promises";
import { get } from "node:https";
import { authorityIn } from "../access/kubeconfig-document.ts";
import type { Instance } from "./instance.ts";

/** A server that does not answer within this time is not ready. */
const timeoutMs = 2_000;

export async function isReady({ serving }: Pick<Instance, "serving">): Promise<boolean> {
  if (serving === undefined) return false;
  const { server, kubeconfig } = serving;
  try {
    const ca = await authorityIn(await readFile(kubeconfig, "utf8"), server);
    return ca !== undefined && (await statusOf(`${server}/readyz`, ca)) === 200;
  } catch {
    // No file, no connection, another server: none of them is ready.
    return false;
  }
}

const statusOf = (url: string, ca: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const request = get(url, { ca, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("timeout", () => request.destroy(new Error("timed out"))).on("error", reject);
  });
