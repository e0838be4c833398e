import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Radio, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError } from "~/api/errors";
import type { OwnProfile, Task } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { SanitisedHtml } from "~/components/SanitisedHtml";
import { SkipLink } from "~/components/SkipLink";
import { calendarDay } from "~/languages/formats";
import column from "../frame/Column.module.css";
import { ExpertHeader } from "../frame/ExpertFrame";
import classes from "./AskedFirst.module.css";
import { ownProfile, useAnswerProfile } from "./profile";

type Props = { task: Task; onDone: () => void };

/** Before the first text: consent, and the study's questions about the expert. Asked once. */
export function AskedFirst({ task, onDone }: Props) {
  const { t } = useLingui();
  const { slug, title } = task.study;
  const asked = useQuery(ownProfile(slug));
  const heading = asked.data?.consent?.agreed_at ? t`Before you continue` : t`Before you begin`;
  useDocumentTitle(`${heading} · ${title}`);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={column.main} tabIndex={-1}>
        <h1>{heading}</h1>
        {asked.error && (
          <ErrorNotice
            title={t`The questions could not be loaded`}
            error={asked.error}
            onRetry={() => void asked.refetch()}
          />
        )}
        {asked.data ? (
          <Questions key={asked.data.consent?.version} {...{ task, onDone }} asked={asked.data} />
        ) : (
          !asked.error && <Loading />
        )}
      </main>
    </>
  );
}

function Questions({ task, asked, onDone }: Props & { asked: OwnProfile }) {
  const { t } = useLingui();
  const { study } = task;
  // Whoever is asked to agree again has answered before.
  const [said, setSaid] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(asked.answers).map(([name, value]) => [name, value ?? ""])),
  );
  const [agreed, setAgreed] = useState(false);
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const store = useAnswerProfile(study.slug);
  const flaws = flawsIn(store.error);
  const { consent, questions } = asked;
  const agreedOn = consent?.agreed_at && calendarDay(consent.agreed_at);
  const lacking = questions.find((one) => one.required && !said[one.name]?.trim());

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (consent && !agreed) return void document.getElementById("agree")?.focus();
    if (lacking) return void document.getElementById(`profile-${lacking.name}`)?.focus();
    if (store.isPending) return;
    store.mutate(
      { answers: said, consent: consent?.version ?? null },
      {
        onSuccess: onDone,
        onError: () => void client.invalidateQueries(ownProfile(study.slug)),
      },
    );
  }

  const problemOf = (one: OwnProfile["questions"][number]) =>
    flaws[one.name] ??
    (tried && one.required && !said[one.name]?.trim() ? t`Please answer this question.` : null);

  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      {consent && (
        <section aria-labelledby="consent">
          <h2 id="consent">
            <Trans>What you agree to</Trans>
          </h2>
          {agreedOn && (
            <p className={classes.changed}>
              <Trans>
                This text has changed since you agreed to it on {agreedOn}. Please read it again. If
                you no longer agree, you can leave the study, under “Instructions”.
              </Trans>
            </p>
          )}
          <div className={classes.sheet}>
            <SanitisedHtml html={consent.html} lang={study.language} dir={study.direction} />
          </div>
          <Checkbox
            id="agree"
            checked={agreed}
            onChange={(event) => setAgreed(event.currentTarget.checked)}
            label={t`I have read this, and I agree to take part.`}
            error={tried && !agreed ? t`Please tick this box if you want to take part.` : null}
          />
        </section>
      )}
      {questions.length > 0 && (
        <p>
          <Trans>
            The study asks this once. Results identify you only by number, never by name.
          </Trans>
        </p>
      )}
      <div className={classes.questions} lang={study.language} dir={study.direction}>
        {questions.map((one) =>
          one.kind === "choice" ? (
            <Radio.Group
              key={one.name}
              name={one.name}
              label={one.label}
              description={one.required ? null : t`This question is optional.`}
              value={said[one.name] ?? ""}
              onChange={(value) => setSaid({ ...said, [one.name]: value })}
              error={problemOf(one)}
            >
              <div className={classes.options}>
                {one.options?.map((option, place) => (
                  <Radio
                    key={option}
                    id={place === 0 ? `profile-${one.name}` : undefined}
                    value={option}
                    label={option}
                  />
                ))}
              </div>
            </Radio.Group>
          ) : (
            <TextInput
              key={one.name}
              id={`profile-${one.name}`}
              label={one.label}
              description={one.required ? null : t`This question is optional.`}
              aria-required={one.required}
              inputMode={one.kind === "number" ? "decimal" : "text"}
              maxLength={200}
              className={one.kind === "number" ? classes.number : classes.text}
              value={said[one.name] ?? ""}
              onChange={(event) => setSaid({ ...said, [one.name]: event.currentTarget.value })}
              error={problemOf(one)}
            />
          ),
        )}
      </div>
      {store.error && Object.keys(flaws).length === 0 && (
        <ErrorNotice title={t`Your answers were not saved`} error={store.error} />
      )}
      <Button type="submit" className={column.begin}>
        {store.isPending ? t`One moment…` : t`Continue`}
      </Button>
    </form>
  );
}

/** The server's errors about single answers, by the questions' names. */
function flawsIn(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.code !== "invalid_profile") return {};
  const { fields } = error.data as { fields?: Record<string, string[]> };
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, words]) => [name, words.join(" ")]),
  );
}
