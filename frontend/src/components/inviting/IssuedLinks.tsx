import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useEffect, useMemo, useRef } from "react";
import { useSession } from "~/api/session";
import type { Issued } from "~/api/types";
import { CopyButton } from "./CopyButton";
import classes from "./Inviting.module.css";
import { asCsv, asLines } from "./whom";

type Props = { issued: readonly Issued[]; onDone: () => void };

/** The links, shown only once: the server keeps only what it needs to recognise them. */
export function IssuedLinks({ issued, onDone }: Props) {
  const sendsMail = useSession().data?.sends_mail === true;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={classes.issued} aria-labelledby="issued">
      <h3 id="issued" ref={heading} tabIndex={-1}>
        {plural(issued.length, { one: "The link", other: "# links" })}
      </h3>
      <p>
        {sendsMail
          ? t`Each person receives an e-mail with a personal link. The links below are the same: copy one if its e-mail does not arrive. They are shown only once.`
          : t`This server does not send e-mail. Send each person their message yourself. A link is shown only once; if it is lost, create a new one.`}
      </p>
      {issued.length > 1 && <AllOfThem issued={issued} />}
      <ul className={classes.links}>
        {issued.map((one) => (
          <li key={one.invitation.id}>
            <strong>{one.invitation.email}</strong>
            <code className={classes.link}>{one.link}</code>
            <details>
              <summary>
                <Trans>Message</Trans>
              </summary>
              <pre dir="auto">{`${one.subject}\n\n${one.text}`}</pre>
            </details>
            <div className={classes.buttons}>
              <CopyButton
                label={t`Copy the message`}
                spoken={t`Copy the message for ${one.invitation.email}`}
                text={one.text}
              />
              <CopyButton
                label={t`Copy the link`}
                spoken={t`Copy the link for ${one.invitation.email}`}
                text={one.link}
              />
            </div>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" onClick={onDone}>
          {sendsMail ? t`Done` : t`I have sent them`}
        </Button>
      </div>
    </section>
  );
}

function AllOfThem({ issued }: { issued: readonly Issued[] }) {
  const file = useMemo(
    () => URL.createObjectURL(new Blob(["\ufeff", asCsv(issued)], { type: "text/csv" })),
    [issued],
  );
  useEffect(() => () => URL.revokeObjectURL(file), [file]);
  return (
    <div className={classes.buttons}>
      <CopyButton label={t`Copy all links`} text={asLines(issued)} />
      <Button component="a" href={file} download="invitations.csv" variant="default" size="sm">
        <Trans>Save all as CSV</Trans>
      </Button>
    </div>
  );
}
