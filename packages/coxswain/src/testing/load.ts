/** Loads the control plane as quickly as a test that imports it can wish for. */
import { enableCompileCache, registerHooks } from "node:module";
import { resolve } from "../../bin/own-modules.mjs";

/**
 * What was compiled in an earlier run is taken from Node's cache, unless coverage is measured, which would be less exact
 * then; `NODE_DISABLE_COMPILE_CACHE=1` keeps it off. The short cut to modules ends with the loading.
 */
export async function load<T>(entry: () => Promise<T>, env: NodeJS.ProcessEnv): Promise<T> {
  if (env.NODE_V8_COVERAGE === undefined) enableCompileCache();
  const fromSource = import.meta.url.endsWith(".ts");
  if (!fromSource) return entry();
  const hooks = registerHooks({ resolve });
  try {
    return await entry();
  } finally {
    hooks.deregister();
  }
}
