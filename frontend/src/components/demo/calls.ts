import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import type { components } from "~/api/schema";

export type Demo = components["schemas"]["Demo"];
export type DemoRole = components["schemas"]["RoleEnum"];

/** The demo's roles, and what there is to look at. */
export function useDemo() {
  return useQuery({
    queryKey: ["demo"],
    queryFn: () => ok(api.GET("/api/v1/demo/")),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One click, and no password: the server allows it in a demo on this machine only. */
export function useStepInto() {
  return useMutation({
    mutationFn: (role: DemoRole) => ok(api.POST("/api/v1/demo/step-into/", { body: { role } })),
    // A new page, so that nothing of the previous role stays in memory.
    onSuccess: () => location.assign("/"),
  });
}
