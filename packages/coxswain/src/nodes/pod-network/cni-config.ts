/** The configuration by which a container runtime gives Pods their addresses: standard plugins, a bridge. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing, readIfThere, writePrivately } from "../../access/private-file.ts";
import { isExecutable } from "../namespaces/run-program.ts";

/** What the Pods of a node are joined by. */
export const podBridge = "cni0";

const fileName = "10-coxswain.conflist";

/** What it is made of; each is a program of its own. */
const plugins = ["bridge", "host-local", "loopback", "portmap"] as const;

export interface CniPlace {
  /** Where the runtime looks for configurations. */
  readonly confDir: string;
  /** Where addresses that are given out are noted. */
  readonly addressDir: string;
}

/** @param ranges one of each family. @see https://www.cni.dev/plugins/current/main/bridge/ */
export function cniConfig(ranges: readonly string[], addressDir: string): string {
  const config = {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: podBridge,
        isGateway: true,
        // The bridge of a node that was given another range has an address of the former one.
        forceAddress: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: addressDir,
          ranges: ranges.map((subnet) => [{ subnet }]),
          routes: ranges.map((range) => ({ dst: range.includes(":") ? "::/0" : "0.0.0.0/0" })),
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Where it is not as it should be. Says whether it was not. */
export function ensureCniConfig({ confDir, addressDir }: CniPlace, ranges: readonly string[]): boolean {
  const path = join(confDir, fileName);
  const wanted = cniConfig(ranges, addressDir);
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

/** Those that are in none of the folders. */
export const missingPlugins = (binDirs: readonly string[]): readonly string[] =>
  plugins.filter((name) => !binDirs.some((folder) => isExecutable(join(folder, name))));
