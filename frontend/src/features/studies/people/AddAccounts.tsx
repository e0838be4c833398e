import { Button, NativeSelect, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { BadLines } from "~/components/inviting/BadLines";
import { Note } from "~/components/Note";
import { counted } from "~/components/words";
import classes from "./Members.module.css";
import { type Role, useAddAccounts } from "./members";

/** People who have accounts here need no invitation. */
export function AddAccounts({ slug }: { slug: string }) {
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
          <Note live>{counted(add.data.length, "person was", "people were")} added.</Note>
        )}
        <div>
          <Button variant="default" onClick={() => setOpen(true)}>
            Add people who have accounts
          </Button>
        </div>
      </>
    );
  return (
    <form onSubmit={submit} className={classes.form} aria-label="Add people who have accounts">
      <Textarea
        label="Their e-mail addresses"
        description="One a line, or separated by commas. Experts agree to the consent text before their first text."
        value={addresses}
        onChange={(event) => setAddresses(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
      />
      <NativeSelect
        label="Their role"
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={[
          { value: "expert", label: "Expert: answers" },
          { value: "researcher", label: "Researcher: analyses, and sees which side is which" },
          { value: "admin", label: "Admin: runs the study" },
        ]}
      />
      {add.error && (
        <ErrorNotice title="Nobody was added" error={add.error}>
          <BadLines error={add.error} />
        </ErrorNotice>
      )}
      <div className={classes.buttons}>
        <Button type="submit">{add.isPending ? "Adding…" : "Add them"}</Button>
        <Button variant="default" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
