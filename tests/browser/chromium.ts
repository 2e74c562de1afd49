/** Chromium for tests of pages: that of the machine. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.COXSWAIN_CHROMIUM ?? places.find((path) => existsSync(path));

/** For tests: why they skip, or false. */
export const noChromium = executablePath === undefined ? "no Chromium here; COXSWAIN_CHROMIUM names one" : false;

/** What a machine without a screen, a network or much memory needs. Each launch has a profile of its own. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whoever launches it closes it. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args });
