import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, every, ok } from "~/api/client";
import type { OfferedRole } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./HomePage.module.css";

/** Roles that others gave the person: nobody takes part without their own yes. */
export function useOfferedRoles() {
  return useQuery({
    queryKey: ["studies", "offered"],
    queryFn: () => every((query) => api.GET("/api/v1/roles/offered/", { params: { query } })),
    staleTime: 0,
  });
}

type Reply = { slug: string; accepts: boolean };

function useReply() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ slug, accepts }: Reply) => {
      const params = { path: { slug } };
      return accepts
        ? ok(api.POST("/api/v1/studies/{slug}/role/accept/", { params }))
        : ok(api.POST("/api/v1/studies/{slug}/role/decline/", { params }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["studies"] }),
  });
}

export function OfferedRoles({ roles }: { roles: readonly OfferedRole[] }) {
  const { t } = useLingui();
  const reply = useReply();
  return (
    <section aria-label={t`You were asked to take part`}>
      {reply.error && <ErrorNotice title={t`Nothing was changed`} error={reply.error} />}
      <ul className={classes.studies}>
        {roles.map(({ slug, title, role, is_return }) => (
          <li key={slug} className={classes.study}>
            <div>
              <h2>
                <bdi>{title}</bdi>
              </h2>
              <p className="soft small">{asked(role, is_return)}</p>
            </div>
            <Button
              onClick={() => reply.mutate({ slug, accepts: true })}
              disabled={reply.isPending}
              aria-label={t`Accept: ${title}`}
            >
              <Trans context="a role">Accept</Trans>
            </Button>
            <Button
              variant="default"
              onClick={() => reply.mutate({ slug, accepts: false })}
              disabled={reply.isPending}
              aria-label={t`Decline: ${title}`}
            >
              <Trans context="a role">Decline</Trans>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );

  function asked(role: OfferedRole["role"], isReturn: boolean): string {
    if (isReturn) return t`You left this study, and are asked to come back.`;
    if (role === "expert")
      return t`You are asked to take part as an expert. As long as you answer, you cannot see what people or systems say about these texts, in any study.`;
    return role === "admin"
      ? t`You are asked to run this study with others. Whoever sees which side is which cannot answer on these texts.`
      : t`You are asked to take part as a researcher. Whoever sees which side is which cannot answer on these texts.`;
  }
}
