import { goQuote, messageOf } from "@coxswain/machinery";

/** A plugin has failed, and the attempt with it: the Pod is tried again after a pause. */
export class PluginFailure extends Error {
  constructor(point: string, plugin: string, message: string, options?: ErrorOptions) {
    super(`running ${point} plugin ${goQuote(plugin)}: ${message}`, options);
    this.name = "PluginFailure";
  }

  /** What a plugin throws is its failure. */
  static guard<T>(point: string, plugin: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw PluginFailure.of(point, plugin, error);
    }
  }

  static of(point: string, plugin: string, error: unknown): PluginFailure {
    if (error instanceof PluginFailure) return error;
    return new PluginFailure(point, plugin, messageOf(error), { cause: error });
  }
}
