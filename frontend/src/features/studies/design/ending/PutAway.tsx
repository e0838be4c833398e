import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Erase } from "~/components/erasing/Erase";
import { Section } from "~/components/Section";
import { useArchive, useDeleteStudy } from "../calls";
import classes from "../Setup.module.css";

/** For admins: archiving a study, and deleting one that nobody has answered. */
export function PutAway({ study }: { study: Study }) {
  const { t } = useLingui();
  const { slug } = study;
  const archive = useArchive(slug);
  const remove = useDeleteStudy(slug);
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"archive" | "delete" | null>(null);
  const [typed, setTyped] = useState("");
  if (study.role !== "admin") return null;
  const isArchived = study.archived_at !== null;
  const hasAnswers = study.counts.completed + study.counts.pilot > 0;

  function ask(what: "archive" | "delete") {
    archive.reset();
    remove.reset();
    setTyped("");
    setAsked(what);
  }

  return (
    <Section title={t`Archive or delete this study`}>
      {isArchived ? (
        <p>
          <Trans>
            This study is archived: it does not appear in lists, and experts cannot answer. If you
            restore it, it continues where it left off.
          </Trans>
        </p>
      ) : (
        <p className="soft">
          <Trans>
            An archived study does not appear in lists, and experts cannot answer it. Nothing is
            lost, and you can restore it at any time.
          </Trans>
        </p>
      )}
      {hasAnswers && (
        <p className="soft">
          <Trans>
            You cannot delete this study, because experts have answered it. Answers are kept so that
            results can be checked.
          </Trans>
        </p>
      )}
      {archive.error && <ErrorNotice title={t`The study was not changed`} error={archive.error} />}
      <div className={classes.buttons}>
        {isArchived ? (
          <Button
            variant="default"
            disabled={archive.isPending}
            onClick={() => archive.mutate("unarchive")}
          >
            <Trans>Restore this study</Trans>
          </Button>
        ) : (
          <Button variant="default" onClick={() => ask("archive")}>
            <Trans>Archive this study</Trans>
          </Button>
        )}
        {!hasAnswers && (
          <Button variant="default" onClick={() => ask("delete")}>
            <Trans>Delete this study</Trans>
          </Button>
        )}
        <Erase
          target={{ what: "study", study: slug }}
          name={study.title}
          onGone={() => void navigate("/")}
        />
      </div>
      <Modal
        opened={asked === "archive"}
        onClose={() => setAsked(null)}
        title={t`Archive this study`}
      >
        <p>
          <Trans>From now on, experts cannot answer and the study does not appear in lists.</Trans>
        </p>
        <div className={classes.buttons}>
          <Button
            data-autofocus
            disabled={archive.isPending}
            onClick={() => archive.mutate("archive", { onSettled: () => setAsked(null) })}
          >
            <Trans>Archive this study</Trans>
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            <Trans>Leave it as it is</Trans>
          </Button>
        </div>
      </Modal>
      <Modal
        opened={asked === "delete"}
        onClose={() => setAsked(null)}
        title={t`Delete this study`}
      >
        <p>
          <Trans>
            The study is deleted permanently, together with its plan, members, invitations and
            analyses. The dataset is kept.
          </Trans>
        </p>
        <TextInput
          label={t`To delete the study, type ${slug}`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        {remove.error && <ErrorNotice title={t`Nothing was deleted`} error={remove.error} />}
        <div className={classes.buttons}>
          <Button
            disabled={typed !== slug || remove.isPending}
            onClick={() => remove.mutate(typed, { onSuccess: () => void navigate("/") })}
          >
            <Trans>Delete permanently</Trans>
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </Modal>
    </Section>
  );
}
