/** What the server fills into containers. Everything is changed in place. */
import type { Container, EphemeralContainer, Lifecycle, Probe } from "@coxswain/types/core-v1";
import { roundResources } from "./default-resources.ts";
import { defaultPullPolicy } from "./image-name.ts";

export function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  if (container.resources) roundResources(container.resources);
  if (container.livenessProbe) defaultProbe(container.livenessProbe);
  if (container.readinessProbe) defaultProbe(container.readinessProbe);
  if (container.startupProbe) defaultProbe(container.startupProbe);
  if (container.lifecycle) defaultLifecycle(container.lifecycle);
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultLifecycle({ postStart, preStop }: Lifecycle): void {
  if (postStart?.httpGet) defaultHttpGet(postStart.httpGet);
  if (preStop?.httpGet) defaultHttpGet(preStop.httpGet);
}

function defaultHttpGet(action: { path?: string; scheme?: string }): void {
  action.path ||= "/";
  action.scheme ||= "HTTP";
}
