import { Button } from "@mantine/core";
import { useEffect, useMemo, useRef } from "react";
import { useSession } from "~/api/session";
import type { Issued } from "~/api/types";
import { CopyButton } from "./CopyButton";
import classes from "./Inviting.module.css";
import { asCsv, asLines } from "./whom";

type Props = { issued: readonly Issued[]; onDone: () => void };

/** The links, once: the server keeps only what it needs to recognise them. */
export function IssuedLinks({ issued, onDone }: Props) {
  const sendsMail = useSession().data?.sends_mail === true;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={classes.issued} aria-labelledby="issued">
      <h3 id="issued" ref={heading} tabIndex={-1}>
        {issued.length === 1 ? "The link" : `${issued.length} links`}
      </h3>
      <p>
        {sendsMail
          ? "Each person gets a mail with a link of their own. These links work, too: copy them if a mail does not arrive. They are shown only now."
          : "This server sends no mail. Send each person their message yourself. A link is shown only now; if it is lost, make a new one."}
      </p>
      {issued.length > 1 && <AllOfThem issued={issued} />}
      <ul className={classes.links}>
        {issued.map((one) => (
          <li key={one.invitation.id}>
            <strong>{one.invitation.email}</strong>
            <code className={classes.link}>{one.link}</code>
            <details>
              <summary>Message</summary>
              <pre dir="auto">{`${one.subject}\n\n${one.text}`}</pre>
            </details>
            <div className={classes.buttons}>
              <CopyButton
                label="Copy the message"
                spoken={`Copy the message for ${one.invitation.email}`}
                text={one.text}
              />
              <CopyButton
                label="Copy the link"
                spoken={`Copy the link for ${one.invitation.email}`}
                text={one.link}
              />
            </div>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" onClick={onDone}>
          {sendsMail ? "Done" : "I have sent them"}
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
      <CopyButton label="Copy all links" text={asLines(issued)} />
      <Button component="a" href={file} download="invitations.csv" variant="default" size="sm">
        Save all as CSV
      </Button>
    </div>
  );
}
