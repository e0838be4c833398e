import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { Issued } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Inviting.module.css";
import { badLines, type Role, useInvite } from "./inviting";

type Props = { slug: string; onIssued: (issued: Issued[]) => void; onCancel: () => void };

/** Addresses, a role, and how long the links work. */
export function InviteForm({ slug, onIssued, onCancel }: Props) {
  const [addresses, setAddresses] = useState("");
  const [role, setRole] = useState<Role>("expert");
  const [days, setDays] = useState("14");
  const invite = useInvite(slug);
  const lines = badLines(invite.error);
  const problems = fieldErrors(invite.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (invite.isPending) return;
    const body = { addresses, role, days: days.trim() === "" ? null : Number(days) };
    invite.mutate(body, { onSuccess: onIssued });
  }

  return (
    <form onSubmit={submit} className={classes.form} aria-label="Invite people">
      <Textarea
        label="E-mail addresses"
        description="One a line, or separated by commas. Names may stand before <address>."
        value={addresses}
        onChange={(event) => setAddresses(event.currentTarget.value)}
        error={problems.addresses}
        autosize
        minRows={4}
        maxRows={14}
        required
        withAsterisk={false}
        autoFocus
      />
      <div className={classes.row}>
        <NativeSelect
          label="Role"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
          data={[
            { value: "expert", label: "Expert: answers" },
            { value: "researcher", label: "Researcher: analyses, and sees which side is which" },
            { value: "admin", label: "Admin: runs the study" },
          ]}
        />
        <TextInput
          label="Days that the links work"
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={problems.days}
        />
      </div>
      {invite.error && (
        <ErrorNotice title="Nobody was invited" error={invite.error}>
          {lines.length > 0 && (
            <ul>
              {lines.map((one) => (
                <li key={`${one.line}-${one.value}`}>
                  Line {one.line}: <bdi>{one.value}</bdi> {one.reason}
                </li>
              ))}
            </ul>
          )}
        </ErrorNotice>
      )}
      <div className={classes.buttons}>
        <Button type="submit">{invite.isPending ? "Making links…" : "Make links"}</Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
