/** The races: a show in which every step is a request to a real server, and its answer. */
import type { RaceDefinition, RaceReport, RaceRequest, RaceStep } from "@coxswain/machinery";
import { actInRace, beginRace, endRace, races, ServerError } from "./api.ts";
import { palette } from "./colours.ts";
import { byId, element } from "./element.ts";
import { showActors, showStore } from "./race-cards.ts";
import { openDialog } from "./race-dialog.ts";
import { showLanes } from "./race-lanes.ts";
import { addSteps } from "./race-steps.ts";
import { hotLoopText, raceTime } from "./race-texts.ts";

const choice = byId("choice", HTMLElement);
const description = byId("description", HTMLParagraphElement);
const playButton = byId("play", HTMLButtonElement);
const nextButton = byId("next", HTMLButtonElement);
const againButton = byId("again", HTMLButtonElement);
const chooseButton = byId("choose", HTMLButtonElement);
const time = byId("time", HTMLSpanElement);
const said = byId("said", HTMLParagraphElement);
const actors = byId("actors", HTMLElement);
const store = byId("store", HTMLDivElement);
const lanes = byId("lanes", HTMLDivElement);
const stepList = byId("steps", HTMLOListElement);
const dialog = byId("dialog", HTMLDialogElement);

/** Between two steps, for those who watch. */
const playMs = 1_400;

let definitions: readonly RaceDefinition[] = [];
let request: RaceRequest = { race: "seat" };
let report: RaceReport | undefined;
let before: RaceReport | undefined;
let steps: readonly RaceStep[] = [];
let isPlaying = false;
let isBusy = false;
/** Counts beginnings: what is answered to an earlier one is not shown. */
let round = 0;

const colourOf = (actor: string): string => {
  const rank = report?.actors.findIndex(({ name }) => name === actor) ?? -1;
  return rank < 0 ? palette().muted : palette().writer(rank);
};

function say(text: string, isBad = false): void {
  said.textContent = text;
  said.classList.toggle("conflict", isBad);
}

function draw(): void {
  const definition = definitions.find(({ name }) => name === request.race);
  for (const button of choice.querySelectorAll("button"))
    if (button.dataset.race === request.race) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  description.textContent = definition?.description ?? "";
  const { classic, actions = [] } = report ?? {};
  const next = nextOf(report);
  playButton.textContent = isPlaying ? "Stop" : "Play the classic order";
  playButton.disabled = report === undefined && !isPlaying;
  // What is disabled has no focus: somebody who goes by keyboard stays where they are.
  if (next === undefined && document.activeElement === nextButton) againButton.focus();
  nextButton.disabled = next === undefined || isPlaying;
  const action = actions.find(({ id }) => id === next);
  nextButton.textContent = action === undefined ? "Next step of it" : `Next: ${action.actor} ${action.label}`;
  time.textContent = report === undefined ? "" : `${raceTime(report.time)}, in the race's own time`;
  if (classic === undefined || report === undefined) return;
  const shown = { report, before, steps, colourOf };
  showActors(actors, shown, { onAction: (id) => void act(id), isBusy: isBusy || isPlaying });
  showStore(store, shown);
  showLanes(lanes, shown);
}

/** Of the classic order, as long as nothing else was done. */
function nextOf(now: RaceReport | undefined): string | undefined {
  const { actions = [], done } = now?.classic ?? {};
  return done === undefined ? undefined : actions[done];
}

async function begin(wanted: RaceRequest): Promise<void> {
  const own = ++round;
  const old = report?.metadata.name;
  const made = await beginRace(wanted);
  if (own !== round) return void (await forget(made.metadata.name));
  request = wanted;
  report = made;
  before = undefined;
  steps = [];
  stepList.replaceChildren();
  store.replaceChildren();
  say(`It begins: version ${made.object?.metadata?.resourceVersion ?? ""}.`);
  draw();
  if (old !== undefined) await forget(old);
}

/** It ends by itself later. */
async function forget(race: string): Promise<void> {
  await endRace(race).catch((error: unknown) => {
    if (!(error instanceof ServerError)) throw error;
  });
}

/** False when it came to nothing. */
async function act(action: string): Promise<boolean> {
  if (report === undefined || isBusy) return false;
  isBusy = true;
  const own = round;
  try {
    const now = await actInRace(report.metadata.name, action, steps.at(-1)?.number ?? 0);
    if (own !== round) return false;
    before = report;
    report = now;
    steps = [...steps, ...now.steps];
    addSteps(stepList, now.steps, colourOf);
    const last = now.steps.at(-1);
    const loop = now.hotLoop !== undefined && before.hotLoop === undefined ? ` A hot loop: ${hotLoopText(now)}.` : "";
    const done = now.actions.find(({ id }) => id === action);
    const text = last === undefined ? `${done?.actor} ${done?.label}.` : `${now.steps.map(({ summary }) => `${summary}.`).join(" ")}`;
    const why = last?.explanation.at(1) ?? last?.explanation.at(0);
    say(
      `${text}${why === undefined ? "" : ` ${why}.`}${loop}`,
      now.steps.some(({ answer, lost }) => answer.code >= 400 || lost.length > 0),
    );
    return true;
  } catch (error) {
    complain(error);
    return false;
  } finally {
    isBusy = false;
    draw();
  }
}

function complain(error: unknown): void {
  say(error instanceof Error ? error.message : String(error), true);
  if (error instanceof ServerError && (error.code === 404 || error.code === 503)) say("The race has ended: begin again.", true);
}

async function play(): Promise<void> {
  if (isPlaying) {
    isPlaying = false;
    return;
  }
  isPlaying = true;
  if (nextOf(report) === undefined || report?.classic.done !== 0) await begin(request);
  draw();
  for (let next = nextOf(report); isPlaying && next !== undefined; next = nextOf(report)) {
    if (!(await act(next))) break;
    if (nextOf(report) !== undefined) await new Promise((resolve) => setTimeout(resolve, playMs));
  }
  isPlaying = false;
  draw();
}

function choose(name: string): void {
  isPlaying = false;
  const found = definitions.find((one) => one.name === name) ?? definitions[0];
  if (found !== undefined) void begin({ race: found.name }).catch(complain);
}

function next(): void {
  const action = nextOf(report);
  if (action !== undefined && !isPlaying) void act(action);
}

const again = (): void => {
  isPlaying = false;
  void begin(request).catch(complain);
};

playButton.addEventListener("click", () => void play().catch(complain));
nextButton.addEventListener("click", next);
againButton.addEventListener("click", again);
chooseButton.addEventListener("click", () => {
  const definition = definitions.find(({ name }) => name === request.race);
  if (definition !== undefined) openDialog(dialog, { definition, request, begin });
});
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement || dialog.open) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n") next();
  else if (event.key === "p") playButton.click();
  else if (event.key === "b") again();
  else return;
  event.preventDefault();
});
addEventListener("hashchange", () => choose(location.hash.slice(1)));
addEventListener("pagehide", () => {
  if (report !== undefined) void forget(report.metadata.name);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) again();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  addSteps(stepList, steps, colourOf, { isAnew: true });
  draw();
});

async function start(): Promise<void> {
  definitions = (await races()).items;
  choice.replaceChildren(
    ...definitions.map(({ name, title }) => {
      const button = element("button", { type: "button", "data-race": name }, title);
      button.addEventListener("click", () => {
        if (location.hash === `#${name}`) choose(name);
        else location.hash = name;
      });
      return button;
    }),
  );
  choose(location.hash.slice(1));
}

void start().catch(complain);
