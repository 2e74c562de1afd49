/** Finds the kubeconfig as kubectl does. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { messageOf } from "@coxswain/machinery";
import { emptyKubeconfig, type Kubeconfig, parseKubeconfig } from "../kubeconfig/kubeconfig.ts";
import { KubeconfigError } from "../kubeconfig/kubeconfig-error.ts";
import { mergeKubeconfigs } from "../kubeconfig/merge.ts";
import { inClusterKubeconfig } from "./in-cluster.ts";

/** Where kubeconfigs are looked for: `env` defaults to that of the process. */
export interface LoadOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** These files and no others; each must be there. Default: those of KUBECONFIG, else `~/.kube/config`. */
  readonly paths?: readonly string[];
}

/**
 * All files merged; without any, the account of the Pod that this process runs in.
 * @throws KubeconfigError when nothing is found, or what is found cannot be read
 */
export async function loadKubeconfig({ env = process.env, paths }: LoadOptions = {}): Promise<Kubeconfig> {
  if (paths !== undefined) return mergeKubeconfigs(await Promise.all(paths.map((path) => readKubeconfig(path))));
  const listed = [...new Set((env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== ""))];
  const searched = listed.length > 0 ? listed : [join(env.HOME ?? homedir(), ".kube", "config")];
  const merged = mergeKubeconfigs(await Promise.all(searched.map((path) => readKubeconfig(path, { mayBeMissing: true }))));
  if (!isEmpty(merged)) return merged;
  const account = await inClusterKubeconfig({ env });
  if (account !== undefined) return account;
  throw new KubeconfigError(
    `invalid configuration: no configuration has been provided: there is none in ${searched.join(", ")}, and this process does not run in a Pod`,
  );
}

const isEmpty = ({ clusters, users, contexts, currentContext }: Kubeconfig): boolean =>
  clusters.size + users.size + contexts.size === 0 && currentContext === "";

async function readKubeconfig(path: string, { mayBeMissing = false } = {}): Promise<Kubeconfig> {
  const text = await read(path, mayBeMissing);
  return text === undefined ? emptyKubeconfig : parseKubeconfig(text, { at: path, resolvePath: (one) => resolve(dirname(path), one) });
}

async function read(path: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (mayBeMissing && error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new KubeconfigError(`cannot read the kubeconfig: ${messageOf(error)}`, { cause: error });
  }
}
