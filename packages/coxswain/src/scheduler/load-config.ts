/** Reads the file that `--config` names. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DecodeError, messageOf, parseYaml } from "@coxswain/machinery";
import {
  type PluginFactory,
  pluginModulesOf,
  readSchedulerConfig,
  resolveScheduler,
  type SchedulerConfig,
  SchedulerConfigError,
  type SchedulerDefinition,
} from "@coxswain/scheduler";
import { StartError, startErrorOf } from "../process/start-error.ts";

const modules: ReadonlySet<string> = new Set([".ts", ".mts", ".js", ".mjs"]);

/** Without a file, Kubernetes' defaults. @throws StartError for what the user can put right */
export async function loadSchedulerConfig(file: string | undefined): Promise<SchedulerConfig> {
  if (file === undefined) return resolveScheduler();
  const path = resolve(file);
  try {
    return modules.has(extname(path)) ? await fromModule(path) : await fromDocument(path);
  } catch (error) {
    if (error instanceof SchedulerConfigError || error instanceof DecodeError)
      throw new StartError(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function fromModule(path: string): Promise<SchedulerConfig> {
  const definition = await defaultExport(path);
  if (!isNonNullObject(definition)) throw new SchedulerConfigError("the default export has to be what defineScheduler gives");
  return resolveScheduler(definition as SchedulerDefinition);
}

async function fromDocument(path: string): Promise<SchedulerConfig> {
  const document = await parseYaml(read(path));
  const plugins: Record<string, PluginFactory> = {};
  for (const name of pluginModulesOf(document)) {
    const exported = await defaultExport(resolveFrom(path, name));
    if (!isNonNullObject(exported)) throw new SchedulerConfigError(`plugins: ${name} has to export plugins by name as its default`);
    for (const [plugin, factory] of Object.entries(exported)) {
      if (typeof factory !== "function") throw new SchedulerConfigError(`plugins: ${plugin} of ${name} is not a function`);
      if (Object.hasOwn(plugins, plugin)) throw new SchedulerConfigError(`a plugin named ${plugin} already exists`);
      plugins[plugin] = factory as PluginFactory;
    }
  }
  return readSchedulerConfig(document, plugins);
}

const isNonNullObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read the configuration", error);
  }
}

/** Seen from the file that names it: a path, or a package. */
function resolveFrom(path: string, name: string): string {
  if (/^\.{0,2}\//.test(name)) return resolve(dirname(path), name);
  try {
    return createRequire(path).resolve(name);
  } catch (error) {
    throw new StartError(`${path}: cannot find the plugins ${name}`, { cause: error });
  }
}

async function defaultExport(path: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw new StartError(`cannot load ${path}: ${messageOf(error)}`, { cause: error });
  }
}
