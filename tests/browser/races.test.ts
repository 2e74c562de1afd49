/** Races in Chromium, on a server that was started as a user starts it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import type { Locator, Page } from "playwright-core";
import { home } from "../command/command-program.ts";
import { launchChromium, noChromium } from "./chromium.ts";

const options = { skip: noChromium, timeout: hangMs };

interface Show extends AsyncDisposable {
  readonly page: Page;
  /** The text that a screen reader says. */
  readonly said: Locator;
  /** Does what a button of an actor does, and waits until it is done. */
  act(actor: string, label: string): Promise<void>;
}

/** The page of the races, by the door of the timeline. What fails in it, and what it asks elsewhere, fails the test. */
async function show(t: TestContext, race: string): Promise<Show> {
  const user = home(t);
  const { stdout } = await user.serve("--data-dir", join(user.path, "data"), "--port", "0", "--apiserver-only");
  const [, link = ""] = /the link opens it once\): (\S+)/.exec(stdout) ?? [];
  const browser = await launchChromium();
  const page = await browser.newPage({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(hangMs / 2);
  const complaints: string[] = [];
  const { host } = new URL(link);
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).host !== host) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(link);
  await page.getByRole("link", { name: "Watch a race" }).click();
  await page.getByRole("button", { name: race }).click();
  await page.locator(`[aria-current="true"]`, { hasText: race }).waitFor();
  const steps = page.locator(".steps > li");
  return {
    page,
    said: page.getByRole("status"),
    async act(actor, label) {
      const before = await steps.count();
      await page.getByRole("button", { name: `${actor} ${label}`, exact: true }).click();
      await steps.nth(before).waitFor();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      assert.deepEqual(complaints, []);
    },
  };
}

const card = (page: Page, actor: string) => page.getByRole("article", { name: actor, exact: true });
const step = (page: Page, text: string | RegExp) => page.locator(".steps > li", { hasText: text });

test("a seat: both read, both write, the second is refused with who won and what, and reads and writes again", options, async (t) => {
  await using seat = await show(t, "Two clients, one seat");
  const { page, said, act } = seat;
  await card(page, "Ann").getByText("has read nothing yet").waitFor();
  assert.equal(await page.getByRole("button", { name: "Ann writes", exact: true }).getAttribute("aria-disabled"), "true");
  await act("Ann", "reads");
  await act("Bob", "reads");
  await act("Ann", "writes");
  await card(page, "Bob").getByText("stale").waitFor();
  await act("Bob", "writes");
  await said.getByText('Bob is refused: 409 Conflict. .data.bookedBy: changed by manager "Ann"').waitFor();
  const refused = step(page, "Bob is refused");
  await refused.locator(".code", { hasText: "409 Conflict" }).waitFor();
  const explanation = refused.locator(".explanation");
  await explanation.getByText("the object has been modified; please apply your changes to the latest version").waitFor();
  await explanation.getByText("this write changes it too").waitFor();
  await act("Bob", "reads and writes again");
  await said.getByText(/Bob reads version \d+\. Bob writes it: version \d+/).waitFor();
  await page.locator("#store").getByText("waiting: Bob").waitFor();
  assert.equal(await step(page, "409").count(), 1);
  assert.match((await page.getByRole("img").getAttribute("aria-label")) ?? "", /4: Bob is refused: 409 Conflict/);
});

test("a write without a version loses what was written before it, and the page says what", options, async (t) => {
  await using seat = await show(t, "Two clients, one seat");
  const { page, act } = seat;
  await act("Ann", "reads");
  await act("Bob", "reads");
  await act("Ann", "writes");
  await act("Bob", "writes without a version");
  await step(page, "what another had set is lost: .data.bookedBy").waitFor();
  await page.locator("#store").getByText('.data.bookedBy: "Bob"').waitFor();
});

test("the classic order is played by a key, and begun again by another", options, async (t) => {
  await using seat = await show(t, "Two clients, one seat");
  const { page } = seat;
  await card(page, "Ann").waitFor();
  await page.keyboard.press("n");
  await step(page, "Ann reads").waitFor();
  await page.keyboard.press("p");
  await step(page, /Bob writes it: version/).waitFor();
  assert.equal(await page.locator(".steps > li").count(), 6);
  await page.keyboard.press("b");
  await card(page, "Ann").getByText("has read nothing yet").waitFor();
  assert.equal(await page.locator(".steps > li").count(), 0);
});

test("a visitor's own object: what the server refuses is shown, what it takes is raced for", options, async (t) => {
  await using seat = await show(t, "Two clients, one seat");
  const { page, act } = seat;
  await page.getByRole("button", { name: "Another object…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("The object, as YAML").fill("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n");
  await dialog.getByRole("button", { name: "Begin with it" }).click();
  await dialog.getByRole("alert").getByText("422 Invalid").waitFor();
  await dialog.getByRole("alert").getByText("RFC 1123").first().waitFor();
  await dialog.getByLabel("The object, as YAML").fill("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: paint\ndata: {}\n");
  await dialog.getByLabel("The field that both set").fill(".data.colour");
  await dialog.getByLabel("one sets it to").fill('"red"');
  await dialog.getByLabel("the other to").fill('"blue"');
  await dialog.getByRole("button", { name: "Begin with it" }).click();
  await dialog.waitFor({ state: "hidden" });
  await act("Bob", "reads");
  await act("Bob", "writes");
  await page.locator("#store").getByText('.data.colour: "blue"').waitFor();
  await page.locator("#store").getByText("name: paint").waitFor();
});

test("appliers: the owner stands in the conflict, and force makes the field change hands", options, async (t) => {
  await using race = await show(t, "Two appliers, one field");
  const { page, act } = race;
  const owner = page.getByRole("row", { name: /^\.spec\.replicas/ });
  await act("Team-A", "applies");
  await owner.getByText("Team-A").waitFor();
  await act("Team-B", "applies");
  await step(page, 'conflict with "Team-A": .spec.replicas').locator(".code.refused").waitFor();
  await act("Team-B", "applies with force");
  await owner.getByText("Team-B").waitFor();
  await act("Team-A", "applies the value that it has");
  await owner.getByText("Team-A").waitFor();
  assert.match((await owner.textContent()) ?? "", /Team-ATeam-B/);
});

test(
  "scheduler and kubelet wait for their turn; an agent with an old version is refused, and told what the scheduler did",
  options,
  async (t) => {
    await using race = await show(t, "Scheduler and kubelet, one Pod");
    const { page, act } = race;
    await card(page, "scheduler").getByText("POST …/web/binding").waitFor();
    await act("agent", "reads");
    await act("scheduler", "sends its request");
    await step(page, "scheduler binds it to node-1").waitFor();
    await card(page, "kubelet").getByText("PATCH …/web/status").waitFor();
    await act("agent", "writes the status");
    await step(page, '.spec.nodeName: added by manager "scheduler"').waitFor();
    await act("agent", "reads and writes again");
    await card(page, "kubelet").getByText("stale").waitFor();
    await act("kubelet", "sends its request");
    await step(page, "kubelet patches the status").waitFor();
  },
);

test("a hot loop is recognised by the controllers themselves", options, async (t) => {
  await using race = await show(t, "Two controllers that fight");
  const { page } = race;
  const next = page.getByRole("button", { name: /^Next/ });
  for (let at = 1; at <= 17; at++) {
    await next.click();
    await page
      .locator(".steps > li")
      .nth(at - 1)
      .waitFor();
  }
  await page.locator("#store").getByText("Hot loop. autoscaler and deployer fight over .spec.replicas: 10 writes within 10 s").waitFor();
});
