import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { api, ok } from "~/api/client";
import type { Task } from "~/api/types";
import { Dialog } from "~/components/Dialog";
import { ErrorNotice } from "~/components/ErrorNotice";
import column from "./Column.module.css";
import { useWays } from "./ways";

/** Leaving the study: unobtrusive, and only after reading what happens to one's answers. */
export function Leave({ study }: { study: Task["study"] }) {
  const { t } = useLingui();
  const [opened, setOpened] = useState(false);
  const { home } = useWays();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () =>
      ok(
        api.POST("/api/v1/studies/{slug}/leave/", {
          params: { path: { slug: study.slug } },
          body: { confirm: true },
        }),
      ),
    onSuccess: async () => {
      await navigate("/");
      await client.invalidateQueries({ queryKey: ["studies"] });
    },
  });
  if (home.to !== "/") return null; // nobody takes part in a preview
  return (
    <>
      <button type="button" className="linklike small" onClick={() => setOpened(true)}>
        <Trans>Leave this study</Trans>
      </button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t`Leave this study?`}
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        <p>
          {study.leaving === "left_out" ? (
            <Trans>Your answers are left out of all results and published data from now on.</Trans>
          ) : (
            <Trans>The answers that you have given stay in the study.</Trans>
          )}
        </p>
        <p>
          <Trans>
            You will get no more texts. If you change your mind, ask the person who invited you to
            add you again. To stop only for a while, just close the page.
          </Trans>
        </p>
        {leave.error && <ErrorNotice title={t`This did not work`} error={leave.error} />}
        <div className={column.buttons}>
          <Button variant="default" onClick={() => leave.mutate()} disabled={leave.isPending}>
            <Trans>Leave the study</Trans>
          </Button>
          <Button onClick={() => setOpened(false)}>
            <Trans>Stay</Trans>
          </Button>
        </div>
      </Dialog>
    </>
  );
}
