import type { MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { CopyButton } from "~/components/inviting/CopyButton";
import classes from "~/components/inviting/Inviting.module.css";

import { useRemind, type Whom } from "../inviting";

const WHOM: { value: Whom; label: MessageDescriptor }[] = [
  { value: "not_accepted", label: msg`People who have not accepted the invitation` },
  { value: "not_started", label: msg`Experts who have not answered anything yet` },
  { value: "unfinished", label: msg`Experts who have not finished` },
];

/** Reminds people by mail, or with messages to send oneself. */
export function Reminding({ slug }: { slug: string }) {
  const { t } = useLingui();
  const [who, setWho] = useState<Whom>("not_accepted");
  const remind = useRemind(slug);
  return (
    <section className={classes.form} aria-labelledby="reminding">
      <h3 id="reminding">
        <Trans>Remind people</Trans>
      </h3>
      <p className="soft small">
        <Trans>Nobody is reminded more than once a day.</Trans>
      </p>
      <div className={classes.buttons}>
        <NativeSelect
          label={t`Remind`}
          value={who}
          onChange={(event) => {
            remind.reset();
            setWho(event.currentTarget.value as Whom);
          }}
          data={WHOM.map(({ value, label }) => ({ value, label: t(label) }))}
        />
      </div>
      <div>
        <Button variant="default" onClick={() => !remind.isPending && remind.mutate(who)}>
          {remind.isPending ? t`Reminding…` : t`Remind them`}
        </Button>
      </div>
      {remind.error && <ErrorNotice title={t`Nobody was reminded`} error={remind.error} />}
      {remind.data && <Outcome {...remind.data} />}
    </section>
  );
}

type Reminded = NonNullable<ReturnType<typeof useRemind>["data"]>;

function Outcome({ reminders, lately, is_mailed: isMailed }: Reminded) {
  const { t } = useLingui();
  const count = reminders.length;
  return (
    <div role="status" className={classes.links}>
      <p>
        {count === 0
          ? t`There is nobody to remind.`
          : isMailed
            ? plural(count, {
                one: "# reminder is being sent.",
                other: "# reminders are being sent.",
              })
            : plural(count, {
                one: "This server does not send e-mail. Send this message yourself.",
                other: "This server does not send e-mail. Send these # messages yourself.",
              })}{" "}
        {lately.length > 0 &&
          plural(lately.length, {
            one: "# person was already reminded in the last 24 hours.",
            other: "# people were already reminded in the last 24 hours.",
          })}
      </p>
      {!isMailed && reminders.length > 0 && (
        <ul className={classes.links}>
          {reminders.map(({ email, subject, text }) => (
            <li key={email}>
              <strong>
                <bdi>{email}</bdi>
              </strong>
              <pre dir="auto">{`${subject}\n\n${text}`}</pre>
              <div className={classes.buttons}>
                <CopyButton
                  label={t`Copy the message`}
                  spoken={t`Copy the message for ${email}`}
                  text={text}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
