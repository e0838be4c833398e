import { Button, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Section } from "~/components/Section";
import { useArchive, useDeleteStudy } from "../calls";
import classes from "../Setup.module.css";

/** The archive, and the end of a study that nobody has answered: for admins. */
export function PutAway({ study }: { study: Study }) {
  const archive = useArchive(study.slug);
  const remove = useDeleteStudy(study.slug);
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
    <Section title="Put this study away">
      {isArchived ? (
        <p>
          This study is in the archive: lists leave it out, and experts cannot answer. Taken out, it
          goes on as it was.
        </p>
      ) : (
        <p className="soft">
          In the archive a study is left out of lists, hands out no texts and takes no answers.
          Nothing is lost, and it can be taken out again.
        </p>
      )}
      {hasAnswers && (
        <p className="soft">
          It cannot be deleted: experts have answered it, and answers are kept, so that results can
          be checked.
        </p>
      )}
      {archive.error && <ErrorNotice title="The study was not changed" error={archive.error} />}
      <div className={classes.buttons}>
        {isArchived ? (
          <Button
            variant="default"
            disabled={archive.isPending}
            onClick={() => archive.mutate("unarchive")}
          >
            Take out of the archive
          </Button>
        ) : (
          <Button variant="default" onClick={() => ask("archive")}>
            Archive this study
          </Button>
        )}
        {!hasAnswers && (
          <Button variant="default" onClick={() => ask("delete")}>
            Delete this study
          </Button>
        )}
      </div>
      <Modal opened={asked === "archive"} onClose={() => setAsked(null)} title="Archive this study">
        <p>Experts cannot answer from now on, and lists leave the study out.</p>
        <div className={classes.buttons}>
          <Button
            data-autofocus
            disabled={archive.isPending}
            onClick={() => archive.mutate("archive", { onSettled: () => setAsked(null) })}
          >
            Archive this study
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            Leave it as it is
          </Button>
        </div>
      </Modal>
      <Modal opened={asked === "delete"} onClose={() => setAsked(null)} title="Delete this study">
        <p>
          The study goes for good, with its plan, its members and invitations, and its analyses. The
          dataset stays.
        </p>
        <TextInput
          label={`To delete it, type ${study.slug}`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        {remove.error && <ErrorNotice title="Nothing was deleted" error={remove.error} />}
        <div className={classes.buttons}>
          <Button
            disabled={typed !== study.slug || remove.isPending}
            onClick={() => remove.mutate(typed, { onSuccess: () => void navigate("/") })}
          >
            Delete for good
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            Cancel
          </Button>
        </div>
      </Modal>
    </Section>
  );
}
