/** The controller that `--against` names. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@coxswain/machinery";
import { StartError } from "../../process/start-error.ts";
import { isRunnable, type ReplayedController } from "./replayed-controller.ts";

/** @throws StartError for a module that cannot be loaded, or has none */
export async function loadController(module: string): Promise<ReplayedController> {
  const path = resolve(module);
  if (!existsSync(path)) throw new StartError(`there is no ${module}`);
  const found = await defaultExport(path, module);
  const all = Array.isArray(found) ? found : [found];
  if (typeof found !== "function" && !(all.length > 0 && all.every(isRunnable)))
    throw new StartError(
      `the default export of ${module} has to be a controller, a list of controllers, or a function that takes a client and a signal`,
    );
  return found as ReplayedController;
}

async function defaultExport(path: string, module: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    throw new StartError(`cannot load ${module}: ${messageOf(error)}`, { cause: error });
  }
}
