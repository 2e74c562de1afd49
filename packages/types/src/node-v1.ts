// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { Toleration } from "./core-v1.ts";
import type { ListMeta, Quantity } from "./meta-v1.ts";

export interface Overhead {
  podFixed?: Record<string, Quantity>;
}

export interface RuntimeClass extends KubeObject {
  apiVersion?: string;
  handler: string;
  kind?: string;
  metadata?: Meta;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface RuntimeClassList {
  apiVersion?: string;
  items: RuntimeClass[];
  kind?: string;
  metadata?: ListMeta;
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}
