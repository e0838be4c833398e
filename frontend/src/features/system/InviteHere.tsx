import { Button, Checkbox, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "~/api/errors";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useInviteHere } from "./calls";
import classes from "./System.module.css";

/** Addresses, and what their people may do; then the links, once. */
export function InviteHere() {
  const [addresses, setAddresses] = useState("");
  const [roles, setRoles] = useState({
    may_import: true,
    may_create: true,
    may_administer: false,
  });
  const invite = useInviteHere();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!invite.isPending) invite.mutate({ addresses, ...roles });
  }

  if (invite.data) {
    return (
      <div className={classes.form} role="status">
        <p>Please send each person their message. A link is shown only now, and works once.</p>
        {invite.data.map((one) => (
          <pre key={one.invitation.id} className={classes.letter}>
            {`To: ${one.invitation.email}\n${one.subject}\n\n${one.text}`}
          </pre>
        ))}
        <div>
          <Button variant="default" onClick={() => invite.reset()}>
            I have sent them
          </Button>
        </div>
      </div>
    );
  }
  const role = (name: keyof typeof roles, label: string) => (
    <Checkbox
      label={label}
      checked={roles[name]}
      onChange={(event) => setRoles({ ...roles, [name]: event.currentTarget.checked })}
    />
  );
  return (
    <form onSubmit={submit} className={classes.form} aria-label="Invite people">
      <Textarea
        label="E-mail addresses"
        description="One a line, or separated by commas."
        value={addresses}
        onChange={(event) => setAddresses(event.currentTarget.value)}
        autosize
        minRows={2}
        required
        withAsterisk={false}
      />
      {role("may_import", "May import datasets")}
      {role("may_create", "May create studies")}
      {role("may_administer", "Administers this installation")}
      {invite.error && (
        <ErrorNotice title="Nobody was invited" error={invite.error}>
          <BadLines error={invite.error} />
        </ErrorNotice>
      )}
      <div>
        <Button type="submit">{invite.isPending ? "Making links…" : "Make links"}</Button>
      </div>
    </form>
  );
}

type BadLine = { line: number; value: string; reason: string };

function BadLines({ error }: { error: Error }) {
  const lines = error instanceof ApiError ? error.data.lines : null;
  if (!Array.isArray(lines)) return null;
  return (
    <ul>
      {(lines as BadLine[]).map((one) => (
        <li key={`${one.line}-${one.value}`}>
          Line {one.line}: <bdi>{one.value}</bdi> {one.reason}
        </li>
      ))}
    </ul>
  );
}
