/** What differs each time gets a name in its stead: times, ids, addresses, and what runtimes say in their own words. */
import type { api } from "@coxswain/client";

type Status = api.coreV1.PodStatus;

const times = new Set(["startTime", "startedAt", "finishedAt", "lastTransitionTime", "lastProbeTime"]);

export class Mask {
  readonly #names = new Map<string, string>();
  #containers = 0;

  /** From now on. */
  name(value: string | undefined, name: string): void {
    if (value !== undefined && !this.#names.has(value)) this.#names.set(value, name);
  }

  status(status: Status | undefined): unknown {
    this.name(status?.hostIP, "<node's address>");
    this.name(status?.podIP, "<address>");
    const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
    for (const { lastState, containerID } of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses])
      for (const id of [lastState?.terminated?.containerID, containerID]) this.#container(id);
    // Read from the Pod's control group, which the recorded node was not allowed to make.
    const { resources: _, ...rest } = status ?? {};
    return this.#value(rest, "");
  }

  /** Without how often: that depends on when its node looked at the Pod. */
  event({ type, reason, message }: api.coreV1.Event): string {
    return `${type} ${reason}: ${this.#text(message ?? "")}`;
  }

  /** By the order in which they were made. */
  #container(id: string | undefined): void {
    if (id !== undefined && id !== "" && !this.#names.has(id)) this.name(id, `<container ${++this.#containers}>`);
  }

  #value(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#value(one, key));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#value(one, name)]));
    if (typeof value !== "string") return value;
    if (times.has(key)) return "<time>";
    if (key === "imageID" && value !== "") return "<image>";
    return this.#text(value);
  }

  #text(text: string): string {
    let masked = text;
    for (const [value, name] of this.#names) masked = masked.replaceAll(value, name);
    return masked
      .replace(/capacity: \d+$/, "capacity: <capacity>")
      .replace(
        /\bin [\d.]+[a-zµ]+ \([\d.]+[a-zµ]+ including waiting\)\. Image size: \d+ bytes/,
        "in <time> (<time> including waiting). Image size: <size> bytes",
      )
      .replace(/(failed to (?:create|start) containerd task|failed to pull and unpack image "[^"]*"): .*/s, "$1: <reason>");
  }
}
