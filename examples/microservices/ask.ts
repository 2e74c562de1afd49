/** How others ask the front. */
import { setTimeout as delay } from "node:timers/promises";

/** @throws Error for an answer that says that something went wrong */
export async function ask<T>(url: string, body?: object): Promise<T> {
  const answer = await fetch(url, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const pauseMs = 200;

/** Proxies and names follow what is ready a moment later: only then is there an answer. */
export async function firstAnswer<T>(url: string, tries = 150): Promise<T> {
  try {
    return await ask<T>(url);
  } catch (error) {
    if (tries === 0) throw error;
  }
  await delay(pauseMs);
  return await firstAnswer(url, tries - 1);
}
