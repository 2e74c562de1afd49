import { field, validatePortName, validatePortNumber } from "@coxswain/machinery";
import type { Container, ContainerPort, PodSpec } from "@coxswain/types/core-v1";
import type { IntOrString } from "@coxswain/types/meta-v1";
import { addInvalid, type Errors, requiredOneOf } from "../checks.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export function validatePorts(out: Errors, path: string, ports: readonly ContainerPort[] | undefined): void {
  if (!ports?.length) return;
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const at = `${path}[${i}]`;
    if (port.name) validateUniquePortName(out, `${at}.name`, port.name, names);
    if (!port.containerPort) out.push(field.required(`${at}.containerPort`));
    else addInvalid(out, `${at}.containerPort`, port.containerPort, validatePortNumber(port.containerPort));
    if (port.hostPort) addInvalid(out, `${at}.hostPort`, port.hostPort, validatePortNumber(port.hostPort));
    requiredOneOf(out, `${at}.protocol`, port.protocol, protocols);
  });
}

function validateUniquePortName(out: Errors, path: string, name: string, seen: Set<string>): void {
  const problems = validatePortName(name);
  if (problems.length > 0) addInvalid(out, path, name, problems);
  else if (seen.has(name)) out.push(field.duplicate(path, name));
  else seen.add(name);
}

/** No two containers may ask the node for the same port. */
export function validateHostPortConflicts(out: Errors, path: string, containers: readonly Container[]): void {
  const seen = new Set<string>();
  containers.forEach(({ ports }, i) => {
    ports?.forEach(({ hostPort, hostIP = "", protocol = "" }, j) => {
      if (!hostPort) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(key)) out.push(field.duplicate(`${path}[${i}].ports[${j}].hostPort`, key));
      else seen.add(key);
    });
  });
}

/** On the host's network a container's port is the host's. Templates may leave it to the pod's defaults. */
export function validateHostNetworkPorts(out: Errors, path: string, spec: Readonly<PodSpec>, isPod: boolean): void {
  if (!spec.hostNetwork) return;
  (spec.containers ?? []).forEach(({ ports }, i) => {
    ports?.forEach(({ hostPort = 0, containerPort }, j) => {
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        const at = `${path}.containers[${i}].ports[${j}].hostPort`;
        out.push(field.invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true"));
      }
    });
  });
}

export function validatePortNumberOrName(out: Errors, path: string, port: IntOrString): void {
  addInvalid(out, path, port, typeof port === "number" ? validatePortNumber(port) : validatePortName(port ?? ""));
}
