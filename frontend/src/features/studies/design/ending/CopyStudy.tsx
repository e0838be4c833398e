import { Trans, useLingui } from "@lingui/react/macro";
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

/** Another study with the same settings, here or elsewhere. */
export function CopyStudy({ study }: { study: Study }) {
  const { t } = useLingui();
  const mayCreate = useSession().data?.user?.can_create_studies;
  const copy = useCopyStudy();
  const navigate = useNavigate();
  const original = study.title;
  const [title, setTitle] = useState(t`${original} (copy)`);
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
      title={t`Use this set-up again`}
      aside={
        <Download href={`/api/v1/studies/${study.slug}/setup/file/`}>
          <Trans>Download set-up</Trans>
        </Download>
      }
    >
      <p className="soft">
        <Trans>
          A copy has the same settings, questions and analysis plan, but no people, no places and no
          answers. You can also download the set-up as a file, to keep it or to use it on another
          server under “Start a study”.
        </Trans>
      </p>
      {mayCreate && (
        <form onSubmit={submit} className={classes.form} noValidate>
          <TextInput
            label={t`Title of the copy`}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={title.trim() === "" ? t`Please enter a title for the copy.` : refused.title}
            maxLength={200}
            autoComplete="off"
          />
          <Checkbox
            label={t`Draw the same texts for the same systems`}
            description={t`Choose this to repeat the study with other experts. Otherwise, other texts are drawn.`}
            checked={keepsSeed}
            onChange={(event) => setKeepsSeed(event.currentTarget.checked)}
          />
          {copy.error && <ErrorNotice title={t`The copy was not created`} error={copy.error} />}
          <div>
            <Button type="submit" variant="default">
              {copy.isPending ? t`Copying…` : t`Copy this study`}
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
