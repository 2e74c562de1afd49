/** The methods of cri.proto. Written by scripts/generate-cri-messages.ts. */
import type * as received from "./received.ts";
import type * as sent from "./sent.ts";

export interface CriMethods {
  Version: Method<sent.VersionRequestInput, received.VersionResponseMessage>;
  Status: Method<sent.StatusRequestInput, received.StatusResponseMessage>;
  RuntimeConfig: Method<sent.RuntimeConfigRequestInput, received.RuntimeConfigResponseMessage>;
  RunPodSandbox: Method<sent.RunPodSandboxRequestInput, received.RunPodSandboxResponseMessage>;
  StopPodSandbox: Method<sent.SandboxRequestInput, received.NothingMessage>;
  RemovePodSandbox: Method<sent.SandboxRequestInput, received.NothingMessage>;
  PodSandboxStatus: Method<sent.PodSandboxStatusRequestInput, received.PodSandboxStatusResponseMessage>;
  ListPodSandbox: Method<sent.ListPodSandboxRequestInput, received.ListPodSandboxResponseMessage>;
  CreateContainer: Method<sent.CreateContainerRequestInput, received.CreateContainerResponseMessage>;
  StartContainer: Method<sent.ContainerRequestInput, received.NothingMessage>;
  StopContainer: Method<sent.StopContainerRequestInput, received.NothingMessage>;
  RemoveContainer: Method<sent.ContainerRequestInput, received.NothingMessage>;
  ListContainers: Method<sent.ListContainersRequestInput, received.ListContainersResponseMessage>;
  ContainerStatus: Method<sent.ContainerStatusRequestInput, received.ContainerStatusResponseMessage>;
  UpdateContainerResources: Method<sent.UpdateContainerResourcesRequestInput, received.NothingMessage>;
  ReopenContainerLog: Method<sent.ContainerRequestInput, received.NothingMessage>;
  ExecSync: Method<sent.ExecSyncRequestInput, received.ExecSyncResponseMessage>;
  Exec: Method<sent.ExecRequestInput, received.StreamResponseMessage>;
  Attach: Method<sent.AttachRequestInput, received.StreamResponseMessage>;
  PortForward: Method<sent.PortForwardRequestInput, received.StreamResponseMessage>;
  ListContainerStats: Method<sent.ListContainerStatsRequestInput, received.ListContainerStatsResponseMessage>;
  ListPodSandboxStats: Method<sent.ListPodSandboxStatsRequestInput, received.ListPodSandboxStatsResponseMessage>;
  PodSandboxStats: Method<sent.SandboxRequestInput, received.PodSandboxStatsResponseMessage>;
  ListImages: Method<sent.ListImagesRequestInput, received.ListImagesResponseMessage>;
  ImageStatus: Method<sent.ImageRequestInput, received.ImageStatusResponseMessage>;
  PullImage: Method<sent.PullImageRequestInput, received.PullImageResponseMessage>;
  RemoveImage: Method<sent.ImageRequestInput, received.NothingMessage>;
  ImageFsInfo: Method<sent.NothingInput, received.ImageFsInfoResponseMessage>;
}

export interface CriStreams {
  GetContainerEvents: Method<sent.NothingInput, received.ContainerEventResponseMessage>;
}

interface Method<Request, Response> {
  readonly request: Request;
  readonly response: Response;
}
