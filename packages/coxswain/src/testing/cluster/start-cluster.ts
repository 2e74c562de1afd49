/** Where clusters start: a small module, because what a cluster consists of is large, and not every test file starts one. */
import nodeModule from "node:module";
import { validateOptions } from "../validation/options.ts";
import { type ClusterOptions, clusterOptions, type TestCluster } from "./test-cluster.ts";

/** `await using cluster = await startCluster()`: its end closes whatever it has begun. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  validateOptions("startCluster", options, clusterOptions);
  keepCompiledCode();
  const { startInProcess } = await import("./in-process-cluster.ts");
  return await startInProcess(options);
}

/** For the next process, which then loads a cluster in half the time. Coverage would be less exact; NODE_DISABLE_COMPILE_CACHE=1 keeps it off. */
function keepCompiledCode(): void {
  // Deno and Bun have neither.
  const { enableCompileCache, getCompileCacheDir }: Partial<typeof nodeModule> = nodeModule;
  if (process.env.NODE_V8_COVERAGE === undefined && getCompileCacheDir?.() === undefined) enableCompileCache?.();
}
