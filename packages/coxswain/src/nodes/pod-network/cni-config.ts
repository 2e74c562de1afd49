/** The configuration by which a container runtime gives Pods their addresses: standard plugins, a link for each Pod. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing, readIfThere, writePrivately } from "../../access/private-file.ts";
import { type Ip, listLinks } from "../namespaces/links.ts";
import { isExecutable } from "../namespaces/run-program.ts";

/** What joined the Pods of a node before each had a link of its own, and does as long as some of these run. */
export const podBridge = "cni0";

const fileName = "10-coxswain.conflist";

/** What it is made of; each is a program of its own. */
const plugins = ["ptp", "host-local", "loopback", "portmap"] as const;

/** By which plugin a Pod is joined to its node. */
export type PodLink = "ptp" | "bridge";

export interface CniPlace {
  /** Where the runtime looks for configurations. */
  readonly confDir: string;
  /** Where addresses that are given out are noted. */
  readonly addressDir: string;
}

/**
 * @param ranges one of each family
 * @see https://www.cni.dev/plugins/current/main/ptp/
 * @see https://www.cni.dev/plugins/current/main/bridge/
 */
export function cniConfig(link: PodLink, ranges: readonly string[], addressDir: string): string {
  const ipam = {
    type: "host-local",
    dataDir: addressDir,
    ranges: ranges.map((subnet) => [{ subnet }]),
    routes: ranges.map((range) => ({ dst: range.includes(":") ? "::/0" : "0.0.0.0/0" })),
  };
  // The bridge of a node that was given another range has an address of the former one.
  const bridge = { bridge: podBridge, isGateway: true, forceAddress: true, hairpinMode: true };
  const config = {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      { type: link, ...(link === "bridge" ? bridge : {}), ipam },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Whether Pods were joined by the bridge when the configuration was last written. */
export const wasBridged = (confDir: string): boolean => pluginIn(join(confDir, fileName)) === "bridge";

/** How new Pods are joined: as those that run, so that all reach each other. @throws ProgramError */
export async function podLinkOf(ip: Ip, confDir: string): Promise<PodLink> {
  return wasBridged(confDir) && (await listLinks(ip)).some(({ master }) => master === podBridge) ? "bridge" : "ptp";
}

/** Where it is not as it should be. Says whether it was not. */
export function ensureCniConfig({ confDir, addressDir }: CniPlace, link: PodLink, ranges: readonly string[]): boolean {
  const path = join(confDir, fileName);
  const wanted = cniConfig(link, ranges, addressDir);
  if (readIfThere(path) === wanted) return false;
  writePrivately(path, wanted);
  return true;
}

export const removeCniConfig = (confDir: string): void => rmSync(join(confDir, fileName), { force: true });

/** The first that somebody else has written; undefined where there is none. */
export function foreignCniConfig(confDir: string): string | undefined {
  try {
    return readdirSync(confDir)
      .sort()
      .find((name) => /\.(conf|conflist|json)$/.test(name) && name !== fileName);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Plugins by which packets between Pods of one node are routed, as others are. */
const routing = ["ptp", "calico", "cilium-cni"];

/** Whether it is known that no bridge joins the Pods of a node, by which their packets may pass rules by. */
export const isRouting = (confDir: string, file: string): boolean => routing.includes(pluginIn(join(confDir, file)));

/** The first, by which a Pod is joined to its node; empty where that cannot be read. */
function pluginIn(path: string): string {
  try {
    const { type, plugins: [first] = [] }: { type?: string; plugins?: readonly { type?: string }[] } = JSON.parse(
      readIfThere(path) ?? "{}",
    );
    return type ?? first?.type ?? "";
  } catch {
    return "";
  }
}

/** Those that are in none of the folders. */
export const missingPlugins = (binDirs: readonly string[]): readonly string[] =>
  plugins.filter((name) => !binDirs.some((folder) => isExecutable(join(folder, name))));
