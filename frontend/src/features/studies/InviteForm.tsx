import { Trans, useLingui } from "@lingui/react/macro";
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
import { ROLE_MEANINGS, ROLES } from "./roles";

type Props = { slug: string; onIssued: (issued: Issued[]) => void; onCancel: () => void };

/** Addresses, a role, and how long the links work. */
export function InviteForm({ slug, onIssued, onCancel }: Props) {
  const { t } = useLingui();
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
    <form onSubmit={submit} className={classes.form} aria-label={t`Invite people`}>
      <WhomFields whom={whom} onChange={setWhom} error={problems.addresses} withRoles autoFocus />
      <div className={classes.row}>
        <NativeSelect
          label={t`Role`}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
          data={ROLES.map((value) => ({ value, label: t(ROLE_MEANINGS[value]) }))}
        />
        <TextInput
          label={t`Links are valid for (days)`}
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={problems.days}
        />
      </div>
      {invite.error && (
        <ErrorNotice title={t`Nobody was invited`} error={invite.error}>
          <BadLines error={invite.error} />
        </ErrorNotice>
      )}
      <div className={classes.buttons}>
        <Button type="submit">{invite.isPending ? t`Creating links…` : t`Create links`}</Button>
        <Button variant="default" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
