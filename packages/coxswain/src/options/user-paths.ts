/** Where a user's files are unless an option says so. */
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./base-command.ts";
import { defaultName } from "./instance-name.ts";

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
export function defaultDataDir({ XDG_DATA_HOME: home }: Environment, name?: string): string {
  const folder = home !== undefined && isAbsolute(home) ? home : join(homedir(), ".local", "share");
  return join(folder, name === undefined || name === defaultName ? "coxswain" : `coxswain-${name}`);
}

/** The first file of `KUBECONFIG`, else `~/.kube/config`: the one that kubectl writes to. */
export function userKubeconfig({ KUBECONFIG, HOME }: Environment): string {
  const first = (KUBECONFIG ?? "").split(delimiter).find((path) => path !== "");
  return resolve(first ?? join(HOME ?? homedir(), ".kube", "config"));
}
