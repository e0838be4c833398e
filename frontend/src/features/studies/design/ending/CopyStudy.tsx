import { Button, Checkbox, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { fieldErrors } from "~/api/errors";
import { useSession } from "~/api/session";
import type { Study } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Section } from "~/components/Section";
import { useCopyStudy } from "../calls";
import classes from "../Setup.module.css";

/** Another study with the same set-up, here or elsewhere. */
export function CopyStudy({ study }: { study: Study }) {
  const mayCreate = useSession().data?.user?.can_create_studies;
  const copy = useCopyStudy();
  const navigate = useNavigate();
  const [title, setTitle] = useState(`${study.title} (copy)`);
  const [keepsSeed, setKeepsSeed] = useState(false);
  const refused = fieldErrors(copy.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (copy.isPending || title.trim() === "") return;
    copy.mutate(
      { of: study.slug, title: title.trim(), keepsSeed },
      { onSuccess: (made) => void navigate(`/studies/${made.slug}/design`) },
    );
  }

  return (
    <Section
      title="Use this set-up again"
      aside={
        <Download href={`/api/v1/studies/${study.slug}/setup/file/`}>Download set-up</Download>
      }
    >
      <p className="soft">
        Settings, questions and analysis plan are taken over: no people, no places, no answers. The
        file is for another server, or to keep; a study is started from it under “Start a study”.
      </p>
      {mayCreate && (
        <form onSubmit={submit} className={classes.form} noValidate>
          <TextInput
            label="Title of the copy"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={title.trim() === "" ? "Give the copy a title." : refused.title}
            maxLength={200}
            autoComplete="off"
          />
          <Checkbox
            label="Draw the same texts for the same systems"
            description="For a repetition with other experts. Otherwise other texts are drawn."
            checked={keepsSeed}
            onChange={(event) => setKeepsSeed(event.currentTarget.checked)}
          />
          {copy.error && <ErrorNotice title="No copy was made" error={copy.error} />}
          <div>
            <Button type="submit" variant="default">
              {copy.isPending ? "Copying…" : "Copy this study"}
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
