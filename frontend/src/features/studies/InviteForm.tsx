import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { Issued } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { BadLines } from "~/components/inviting/BadLines";
import classes from "~/components/inviting/Inviting.module.css";
import { WhomFields } from "~/components/inviting/WhomFields";
import { asked, NOBODY, useKeyOf } from "~/components/inviting/whom";
import { type Role, useInvite } from "./inviting";

type Props = { slug: string; onIssued: (issued: Issued[]) => void; onCancel: () => void };

/** Addresses, a role, and how long the links work. */
export function InviteForm({ slug, onIssued, onCancel }: Props) {
  const [whom, setWhom] = useState(NOBODY);
  const [role, setRole] = useState<Role>("expert");
  const [days, setDays] = useState("14");
  const invite = useInvite(slug);
  const problems = fieldErrors(invite.error);
  const body = { ...asked(whom), role, days: days.trim() === "" ? null : Number(days) };
  const key = useKeyOf(body);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!invite.isPending) invite.mutate({ body, key }, { onSuccess: onIssued });
  }

  return (
    <form onSubmit={submit} className={classes.form} aria-label="Invite people">
      <WhomFields whom={whom} onChange={setWhom} error={problems.addresses} withRoles autoFocus />
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
          <BadLines error={invite.error} />
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
