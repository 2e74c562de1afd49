/** Where a runtime looks for what gives Pods their addresses. */
import { connectCri } from "./cri-connection.ts";
import type { CriRuntimeOptions } from "./cri-runtime-options.ts";

/** CniFolders are where a runtime looks for configurations of CNI and for its plugins. */
export interface CniFolders {
  readonly confDir: string;
  /** Of the plugins. */
  readonly binDirs: readonly string[];
}

/** What `verbose` answers of containerd have; later versions know several folders of plugins. */
interface RuntimeConfig {
  readonly cni?: { readonly confDir?: string; readonly binDir?: string; readonly binDirs?: readonly string[] };
}

/** As CNI's own documents have them, and as Debian and Fedora install plugins. */
const defaults: CniFolders = { confDir: "/etc/cni/net.d", binDirs: ["/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"] };

/** What the runtime does not say is as it is by default. @throws RuntimeError where it does not answer */
export async function cniFolders({ socket, clock, timeoutMs }: Required<CriRuntimeOptions>, signal: AbortSignal): Promise<CniFolders> {
  using connection = connectCri(socket, { clock, timeoutMs });
  const { info } = await connection.call("Status", { verbose: true }, { signal });
  const { cni }: RuntimeConfig = JSON.parse(info.config ?? "{}");
  const binDirs = cni?.binDirs ?? (cni?.binDir ? [cni.binDir] : []);
  return { confDir: cni?.confDir || defaults.confDir, binDirs: binDirs.length > 0 ? binDirs : defaults.binDirs };
}
