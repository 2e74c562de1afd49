import { join } from "node:path";

/** Where a node keeps what stays when it ends: images, logs, and what belongs to its Pods. */
export const nodeDataFolder = (rootDir: string, node: string): string => join(rootDir, node);
