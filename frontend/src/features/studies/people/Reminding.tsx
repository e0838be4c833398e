import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { CopyButton } from "~/components/inviting/CopyButton";
import classes from "~/components/inviting/Inviting.module.css";
import { counted } from "~/components/words";
import { useRemind, type Whom } from "../inviting";

const WHOM: { value: Whom; label: string }[] = [
  { value: "not_accepted", label: "Who has not accepted the invitation" },
  { value: "not_started", label: "Experts who have answered nothing yet" },
  { value: "unfinished", label: "Experts who have more to answer" },
];

/** Remind people: by mail, or with texts to send oneself. */
export function Reminding({ slug }: { slug: string }) {
  const [who, setWho] = useState<Whom>("not_accepted");
  const remind = useRemind(slug);
  return (
    <section className={classes.form} aria-labelledby="reminding">
      <h3 id="reminding">Remind people</h3>
      <p className="soft small">Nobody is reminded more than once a day.</p>
      <div className={classes.buttons}>
        <NativeSelect
          label="Whom"
          value={who}
          onChange={(event) => {
            remind.reset();
            setWho(event.currentTarget.value as Whom);
          }}
          data={WHOM}
        />
      </div>
      <div>
        <Button variant="default" onClick={() => !remind.isPending && remind.mutate(who)}>
          {remind.isPending ? "Reminding…" : "Remind them"}
        </Button>
      </div>
      {remind.error && <ErrorNotice title="Nobody was reminded" error={remind.error} />}
      {remind.data && <Outcome {...remind.data} />}
    </section>
  );
}

type Reminded = NonNullable<ReturnType<typeof useRemind>["data"]>;

function Outcome({ reminders, lately, is_mailed: isMailed }: Reminded) {
  const count = counted(reminders.length, "person", "people");
  return (
    <div role="status" className={classes.links}>
      <p>
        {reminders.length === 0
          ? "There is nobody to remind."
          : isMailed
            ? `Mails to ${count} are on their way.`
            : `This server sends no mail. Send these messages to ${count} yourself.`}
        {lately.length > 0 &&
          ` ${counted(lately.length, "person was", "people were")} reminded in the last day.`}
      </p>
      {!isMailed && reminders.length > 0 && (
        <ul className={classes.links}>
          {reminders.map((one) => (
            <li key={one.email}>
              <strong>{one.email}</strong>
              <pre dir="auto">{`${one.subject}\n\n${one.text}`}</pre>
              <div className={classes.buttons}>
                <CopyButton
                  label="Copy the message"
                  spoken={`Copy the message for ${one.email}`}
                  text={one.text}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
