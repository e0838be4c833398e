import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import type { ApiToken } from "~/api/types";

const TOKENS = ["tokens"];

export function useTokens() {
  return useQuery({
    queryKey: TOKENS,
    queryFn: () => every((query) => api.GET("/api/v1/tokens/", { params: { query } })),
  });
}

export function useMakeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; days: number; scope: ApiToken["scope"] }) =>
      ok(api.POST("/api/v1/tokens/", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: TOKENS }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      ok(api.POST("/api/v1/tokens/{id}/revoke/", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: TOKENS }),
  });
}
