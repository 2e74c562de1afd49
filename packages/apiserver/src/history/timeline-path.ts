export const timelinePath = "/coxswain/v1/timeline";
