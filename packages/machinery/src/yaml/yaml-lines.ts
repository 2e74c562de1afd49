/** Where in a text of YAML something stands, for who has to find it there. */
import type { Event } from "js-yaml";

/** From the root of a document: keys of maps, and places in lists. */
export type YamlPath = readonly (string | number)[];

/**
 * The line of what is at a path, or of the nearest around it that is there; lines are counted from 1. What an alias or a merge brings is not
 * looked into. Undefined for a text that is no YAML.
 */
export async function findYamlLine(text: string, path: YamlPath): Promise<number | undefined> {
  const { EVENT_ID, parseEvents, YAMLException } = await import("js-yaml");
  let events: readonly Event[];
  try {
    events = parseEvents(text, { maxDepth: 1000 });
  } catch (error) {
    if (error instanceof YAMLException) return error.mark === undefined ? undefined : error.mark.line + 1;
    throw error;
  }
  const offset = new Finder(events, text, EVENT_ID).find(path);
  return text.slice(0, offset).split("\n").length;
}

class Finder {
  readonly #events: readonly Event[];
  readonly #text: string;
  readonly #ids: typeof import("js-yaml").EVENT_ID;
  /** Behind the one that says that a document begins. */
  #next = 1;

  constructor(events: readonly Event[], text: string, ids: typeof import("js-yaml").EVENT_ID) {
    this.#events = events;
    this.#text = text;
    this.#ids = ids;
  }

  find(path: YamlPath): number {
    let found = 0;
    for (const step of path) {
      const at = this.#enter(step);
      if (at === undefined) break;
      found = at;
    }
    return found;
  }

  /** Goes to what a step leads to; where that is, or its key. */
  #enter(step: string | number): number | undefined {
    const event = this.#events[this.#next];
    const isList = event?.type === this.#ids.SEQUENCE;
    if (event === undefined || (!isList && event.type !== this.#ids.MAPPING)) return undefined;
    this.#next++;
    for (let i = 0; !this.#ends(); i++) {
      const key = this.#events[this.#next];
      const at = offsetOf(key);
      if (isList ? i === step : this.#isKey(key, step)) {
        if (!isList) this.#skip();
        return at;
      }
      this.#skip();
      if (!isList) this.#skip();
    }
    return undefined;
  }

  #isKey(event: Event | undefined, step: string | number): boolean {
    return event?.type === this.#ids.SCALAR && this.#text.slice(event.valueStart, event.valueEnd) === step;
  }

  /** One value with all that is in it. */
  #skip(): void {
    for (let depth = 0; this.#next < this.#events.length; ) {
      const event = this.#events[this.#next++];
      if (event?.type === this.#ids.SEQUENCE || event?.type === this.#ids.MAPPING) depth++;
      else if (event?.type === this.#ids.POP) depth--;
      if (depth <= 0) return;
    }
  }

  #ends(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === this.#ids.POP;
  }
}

const offsetOf = (event: Event | undefined): number | undefined =>
  event === undefined ? undefined : "valueStart" in event ? event.valueStart : "start" in event ? event.start : undefined;
