/** The chosen object: its versions, a slider through them, and what it was at each. */
import type { KubeObject, ObjectVersion } from "@coxswain/machinery";
import { blameOf, historyOf, pastOf, scheduling } from "./api.ts";
import { conflictStory } from "./conflict-story.ts";
import { diffLines, withContext } from "./diff.ts";
import { clockTime, element } from "./element.ts";
import { type Facts, timeOf } from "./facts.ts";
import { whoOf } from "./fights.ts";
import type { Lane } from "./model.ts";
import { isSecret, isSecretField, masked, maskedPair } from "./secrets.ts";
import { cell, headOf, table } from "./table.ts";
import { describe, timeText, verbOf } from "./version-text.ts";
import { withoutManagedFields, yamlOf } from "./yaml.ts";

export interface DetailsOptions {
  readonly root: HTMLElement;
  readonly facts: Facts;
  /** Called with the resourceVersion of the version that is shown. */
  readonly onVersion: (resourceVersion: string) => void;
  readonly onClose: () => void;
}

const tabs = ["Changes", "Object", "Versions", "Blame", "Events", "Conflicts", "Scheduling"] as const;
type Tab = (typeof tabs)[number];

export class Details {
  readonly #options: DetailsOptions;
  #lane: Lane | undefined;
  /** Oldest first. */
  #versions: readonly ObjectVersion[] = [];
  #at = -1;
  #tab: Tab = "Changes";
  #error: string | undefined;
  /** Whether values of a Secret are shown, which takes asking for them. */
  #isRevealed = false;
  #request = new AbortController();

  constructor(options: DetailsOptions) {
    this.#options = options;
  }

  get lane(): Lane | undefined {
    return this.#lane;
  }

  /** Shows a version of an object, by default its newest. */
  async show(lane: Lane, resourceVersion?: string): Promise<void> {
    const isNew = lane !== this.#lane;
    this.#lane = lane;
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    if (isNew || !this.#versions.some((one) => one.resourceVersion === resourceVersion)) {
      if (isNew) this.#versions = [];
      if (isNew) this.#isRevealed = false;
      try {
        const { items } = await historyOf(lane.object, undefined, signal);
        const known = items.some((one) => one.resourceVersion === resourceVersion);
        const older = resourceVersion === undefined || known ? items : (await historyOf(lane.object, resourceVersion, signal)).items;
        this.#versions = [...older].reverse();
        this.#error = undefined;
      } catch (error) {
        if (signal.aborted) return;
        this.#error = error instanceof Error ? error.message : String(error);
      }
    }
    const found = this.#versions.findIndex((one) => one.resourceVersion === resourceVersion);
    this.#at = found < 0 ? this.#versions.length - 1 : found;
    this.#draw();
  }

  /** There may be newer versions: they are shown if the newest one was. */
  refresh(newest: string): void {
    const last = this.#versions.at(-1)?.resourceVersion;
    if (this.#lane === undefined || last === undefined || last === newest) return;
    const isAtNewest = this.#at === this.#versions.length - 1;
    const shown = this.#versions[this.#at]?.resourceVersion;
    this.#versions = [];
    void this.show(this.#lane, isAtNewest ? newest : shown);
  }

  close(): void {
    this.#request.abort();
    this.#lane = undefined;
    this.#options.root.hidden = true;
    this.#options.onClose();
  }

  /** Goes so many versions forward, or back. */
  step(by: number): void {
    this.#goTo(this.#at + by);
  }

  #goTo(at: number): void {
    const next = Math.max(0, Math.min(this.#versions.length - 1, at));
    const version = this.#versions[next];
    if (version === undefined || next === this.#at) return;
    this.#at = next;
    this.#options.onVersion(version.resourceVersion);
    this.#draw();
  }

  #draw(): void {
    const { root } = this.#options;
    const lane = this.#lane;
    if (lane === undefined) return;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.keep : undefined;
    root.hidden = false;
    const version = this.#versions[this.#at];
    const pane = element("div", { class: "pane", role: "tabpanel", "aria-label": this.#tab, tabindex: "0" });
    root.replaceChildren(this.#head(lane, version), ...this.#reveal(lane), this.#tabList(), pane);
    if (focused !== undefined) root.querySelector<HTMLElement>(`[data-keep="${focused}"]`)?.focus();
    if (this.#error !== undefined) pane.append(element("p", { class: "conflict", role: "alert" }, this.#error));
    else if (version !== undefined) void this.#fill(pane, lane, version);
  }

  #head({ object, label }: Lane, version: ObjectVersion | undefined): HTMLElement {
    const close = element("button", { type: "button", "aria-label": "close", "data-keep": "close" }, "×");
    close.onclick = () => this.close();
    const slider = element("input", {
      ...{ type: "range", min: "0", max: String(Math.max(0, this.#versions.length - 1)), value: String(this.#at), "data-keep": "slider" },
      ...{ "aria-label": "version", "aria-valuetext": version === undefined ? "" : describe(version) },
    });
    slider.oninput = () => this.#goTo(Number(slider.value));
    const places = `${this.#at + 1} of ${this.#versions.length}`;
    return element(
      "div",
      { class: "details-head" },
      element("h2", {}, `${object.kind} ${label}`),
      close,
      element("div", { class: "slider" }, slider, element("span", {}, places)),
      element("p", { "aria-live": "polite" }, version === undefined ? "" : describe(version)),
    );
  }

  /** Of a Secret. */
  #reveal({ object }: Lane): readonly HTMLElement[] {
    if (!isSecret(object)) return [];
    const pressed = String(this.#isRevealed);
    const button = element("button", { class: "reveal", type: "button", "aria-pressed": pressed, "data-keep": "reveal" }, "Show values");
    button.onclick = () => {
      this.#isRevealed = !this.#isRevealed;
      this.#draw();
    };
    return [button];
  }

  #isMasked = ({ object }: Lane): boolean => isSecret(object) && !this.#isRevealed;

  #tabList(): HTMLElement {
    const list = element("div", { class: "tabs", role: "tablist" });
    for (const tab of tabs) {
      if (tab === "Scheduling" && this.#lane?.object.resource !== "pods") continue;
      const button = element("button", { type: "button", role: "tab", "aria-selected": String(tab === this.#tab), "data-keep": tab }, tab);
      button.onclick = () => {
        this.#tab = tab;
        this.#draw();
      };
      list.append(button);
    }
    return list;
  }

  async #fill(pane: HTMLElement, lane: Lane, version: ObjectVersion): Promise<void> {
    const { signal } = this.#request;
    try {
      const made = await this.#content(lane, version, signal);
      pane.replaceChildren(...made);
    } catch (error) {
      if (signal.aborted) return;
      pane.replaceChildren(element("p", { class: "conflict", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  async #content(lane: Lane, version: ObjectVersion, signal: AbortSignal): Promise<readonly Node[]> {
    const { facts } = this.#options;
    switch (this.#tab) {
      case "Changes":
        return this.#changes(lane, version, signal);
      case "Object":
        if (version.operation === "delete") return [element("p", {}, "It was deleted here.")];
        return [element("pre", {}, yamlOf(withoutManagedFields(await this.#objectAt(lane, version, signal))))];
      case "Versions":
        return [this.#table()];
      case "Blame": {
        if (version.operation === "delete") return [element("p", {}, "It was deleted here.")];
        const { fields } = await blameOf(lane.object, version.resourceVersion, signal);
        const rows = fields.map((one) => [
          one.field,
          this.#isMasked(lane) && isSecretField(one.field) ? "***" : textOf(one.value),
          `${one.orEarlier === true ? "by then: " : ""}${whoOf(one)}`,
          timeText(one.time),
        ]);
        return [table(["Field", "Value", "Set last by", "At"], rows)];
      }
      case "Events": {
        const found = facts.eventsOf(lane.index).toSorted((a, b) => timeOf(b) - timeOf(a));
        const rows = found.map((one) => [
          clockTime(timeOf(one)),
          one.type ?? "",
          one.reason ?? "",
          `${one.message ?? ""}${(one.count ?? 1) > 1 ? ` (${one.count} times)` : ""}`,
        ]);
        return [
          rows.length === 0 ? element("p", {}, "There are no Events about it now.") : table(["At", "Type", "Reason", "Message"], rows),
        ];
      }
      case "Conflicts": {
        const found = facts.conflictsOf(lane.index);
        if (found.length === 0) return [element("p", {}, "No write to it was refused because somebody was faster.")];
        return found.map((one) => conflictStory(one, this.#versions));
      }
      case "Scheduling":
        return [element("pre", {}, yamlOf(await scheduling(lane.object.namespace ?? "", lane.object.name)))];
    }
  }

  async #objectAt(lane: Lane, { resourceVersion }: ObjectVersion, signal: AbortSignal): Promise<KubeObject> {
    const object = await pastOf(lane.object, resourceVersion, signal);
    return this.#isMasked(lane) ? masked(object) : object;
  }

  /** Against the version before, line by line. */
  async #changes(lane: Lane, version: ObjectVersion, signal: AbortSignal): Promise<readonly Node[]> {
    const before = this.#versions[this.#at - 1];
    const read = async (one: ObjectVersion | undefined): Promise<KubeObject | undefined> =>
      one === undefined || one.operation === "delete" ? undefined : pastOf(lane.object, one.resourceVersion, signal);
    const both = await Promise.all([read(before), read(version)]);
    const [old, now] = (this.#isMasked(lane) ? maskedPair(...both) : both).map((one) => (one === undefined ? "" : yamlOf(shown(one))));
    const pre = element("pre", {});
    for (const line of withContext(diffLines(old ?? "", now ?? ""))) {
      if (line === undefined) pre.append("⋯\n");
      else if (line.kind === "same") pre.append(`  ${line.text}\n`);
      else pre.append(element(line.kind === "added" ? "ins" : "del", {}, `${line.kind === "added" ? "+" : "-"} ${line.text}`));
    }
    return [pre];
  }

  #table(): HTMLElement {
    const body = element("tbody");
    for (const [at, version] of [...this.#versions.entries()].reverse()) {
      const fields = (version.changes ?? []).map(({ field }) => field).join(", ");
      const cells = [
        version.resourceVersion,
        timeText(version.time),
        verbOf(version),
        whoOf(version),
        version.readResourceVersion ?? "",
        fields,
      ];
      const row = element(
        "tr",
        { class: "row", "aria-selected": String(at === this.#at) },
        ...cells.map((text, i) => cell(versionHeads[i], text)),
      );
      row.onclick = () => this.#goTo(at);
      body.append(row);
    }
    return element("table", {}, headOf(versionHeads), body);
  }
}

/** Without what changes with every write. */
function shown(object: KubeObject): object {
  const { resourceVersion: _, ...metadata } = (withoutManagedFields(object).metadata ?? {}) as Record<string, unknown>;
  return { ...object, metadata };
}

const textOf = (value: unknown): string => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

const versionHeads = ["Version", "At", "Verb", "Who", "Based on", "Fields"];
