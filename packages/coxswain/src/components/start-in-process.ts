/** A component beside the API server: in its thread, over no network, with an identity that no other client can have. */
import type { ApiServer } from "@coxswain/apiserver";
import type { InProcessCallers } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { type Component, type Connect, type InProcessComponent, type SystemDependencies, startComponent } from "./start-component.ts";

export interface ComponentDependencies extends SystemDependencies {
  readonly callers: InProcessCallers;
}

export const connectInProcess =
  (server: Pick<ApiServer, "handle">, callers: InProcessCallers): Connect =>
  (user) =>
    inProcessTransport(server, { user, callers });

/** It runs until it is disposed; when it fails it is restarted, as a Pod of it would be. */
export const startInProcess = (
  server: Pick<ApiServer, "handle">,
  component: Component,
  { callers, ...dependencies }: ComponentDependencies,
): InProcessComponent => startComponent(connectInProcess(server, callers), component, dependencies);
