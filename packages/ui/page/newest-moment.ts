/** The newest moment that the page shows: now, or the end of the recording that it is of. */

const meta = document.querySelector<HTMLMetaElement>('meta[name="coxswain-recorded-until"]');
const recordedUntil = meta === null ? undefined : Number(meta.content);

export const isRecorded: boolean = recordedUntil !== undefined;

/** Milliseconds since the epoch. */
export const newestMoment = (): number => recordedUntil ?? Date.now();

/** A recording goes on no more, and has no server for races; the page says which time it is of. */
export function showRecorded(): void {
  if (!isRecorded) return;
  for (const part of document.querySelectorAll("#live, .door")) part.remove();
  const until = new Date(newestMoment()).toLocaleString();
  document.title = "coxswain recording";
  for (const heading of document.querySelectorAll("h1")) heading.textContent = `Recording until ${until}`;
}
