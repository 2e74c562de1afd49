/** Elements of the page; texts are texts, whatever they hold. */

type Child = Node | string | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

/** One that the page has. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} ${id}`);
  return found;
}

/** To the millisecond: what happens in one second is the question. */
export const clockTime = (ms: number): string =>
  Number.isNaN(ms)
    ? ""
    : new Date(ms).toLocaleTimeString(undefined, {
        hourCycle: "h23",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        fractionalSecondDigits: 3,
      });
