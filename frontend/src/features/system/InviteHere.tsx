import { t } from "@lingui/core/macro";
import { Button, Checkbox } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import { ErrorNotice } from "~/components/ErrorNotice";
import { BadLines } from "~/components/inviting/BadLines";
import { IssuedLinks } from "~/components/inviting/IssuedLinks";
import { WhomFields } from "~/components/inviting/WhomFields";
import { asked, NOBODY, useKeyOf } from "~/components/inviting/whom";
import { useInviteHere } from "./calls";
import classes from "./System.module.css";

/** Addresses, and what the people may do; then the links, shown once. */
export function InviteHere() {
  const [whom, setWhom] = useState(NOBODY);
  const [roles, setRoles] = useState({
    may_import: true,
    may_create: true,
    may_administer: false,
  });
  const invite = useInviteHere();
  const body = { ...asked(whom), ...roles };
  const key = useKeyOf(body);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!invite.isPending) invite.mutate({ body, key });
  }

  if (invite.data) {
    return (
      <IssuedLinks
        issued={invite.data}
        onDone={() => {
          setWhom(NOBODY);
          invite.reset();
        }}
      />
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
    <form onSubmit={submit} className={classes.form} aria-label={t`Invite people`}>
      <WhomFields whom={whom} onChange={setWhom} error={fieldErrors(invite.error).addresses} />
      {role("may_import", t`Can import datasets`)}
      {role("may_create", t`Can create studies`)}
      {role("may_administer", t`Administers this server`)}
      {invite.error && (
        <ErrorNotice title={t`Nobody was invited`} error={invite.error}>
          <BadLines error={invite.error} />
        </ErrorNotice>
      )}
      <div>
        <Button type="submit">{invite.isPending ? t`Creating links…` : t`Create links`}</Button>
      </div>
    </form>
  );
}
