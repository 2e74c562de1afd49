/** The queue's order: by priority, and among equals who came first. */
import type { PluginFactory } from "../../framework/plugin.ts";

export const prioritySort: PluginFactory = () => ({
  name: "PrioritySort",
  less: (a, b) => a.pod.priority > b.pod.priority || (a.pod.priority === b.pod.priority && a.queuedAt < b.queuedAt),
});
