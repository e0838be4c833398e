import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { BadLines } from "~/components/inviting/BadLines";
import { Note } from "~/components/Note";
import { ROLE_MEANINGS, ROLES } from "../roles";
import classes from "./Members.module.css";
import { type Role, useAddAccounts } from "./members";

/** People who have accounts here need no invitation. */
export function AddAccounts({ slug }: { slug: string }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const [addresses, setAddresses] = useState("");
  const [role, setRole] = useState<Role>("expert");
  const add = useAddAccounts(slug);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (add.isPending) return;
    const done = () => {
      setAddresses("");
      setOpen(false);
    };
    add.mutate({ addresses, role }, { onSuccess: done });
  }

  if (!isOpen)
    return (
      <>
        {add.data && (
          <Note live>
            <Plural
              value={add.data.length}
              one="# person asked. They take part once they accept, on their first page here."
              other="# people asked. They take part once they accept, on their first page here."
            />
          </Note>
        )}
        <div>
          <Button variant="default" onClick={() => setOpen(true)}>
            <Trans>Add people with accounts</Trans>
          </Button>
        </div>
      </>
    );
  return (
    <form onSubmit={submit} className={classes.form} aria-label={t`Add people with accounts`}>
      <Textarea
        label={t`Their e-mail addresses`}
        description={t`One per line, or separated by commas. They are asked when they next sign in, and take part once they accept.`}
        value={addresses}
        onChange={(event) => setAddresses(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
      />
      <NativeSelect
        label={t`Their role`}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={ROLES.map((value) => ({ value, label: t(ROLE_MEANINGS[value]) }))}
      />
      {add.error && (
        <ErrorNotice title={t`Nobody was asked`} error={add.error}>
          <BadLines error={add.error} />
        </ErrorNotice>
      )}
      <div className={classes.buttons}>
        <Button type="submit">{add.isPending ? t`Asking…` : t`Ask them`}</Button>
        <Button variant="default" onClick={() => setOpen(false)}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
