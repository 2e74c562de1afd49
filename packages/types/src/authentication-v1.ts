// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { Time } from "./meta-v1.ts";

export interface BoundObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

export interface SelfSubjectReview extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

export interface TokenRequest extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  boundObjectRef?: BoundObjectReference;
  expirationSeconds?: number;
}

export interface TokenRequestStatus {
  expirationTimestamp?: Time;
  token?: string;
}

export interface TokenReview extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  audiences?: string[];
  token: string;
}

export interface TokenReviewStatus {
  audiences?: string[];
  authenticated?: boolean;
  error?: string;
  user?: UserInfo;
}

export interface UserInfo {
  extra?: Record<string, string[]>;
  groups?: string[];
  uid?: string;
  username?: string;
}
