import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useMakeToken } from "./calls";
import classes from "./Tokens.module.css";

type Props = { onMade: (secret: string) => void };

/** A name, and how long the token works. */
export function MakeTokenForm({ onMade }: Props) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const make = useMakeToken();
  const problems = fieldErrors(make.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (make.isPending) return;
    make.mutate({ name, days: Number(days) }, { onSuccess: ({ secret }) => onMade(secret) });
  }

  return (
    <form onSubmit={submit} className={classes.form} aria-label="A new token">
      <div className={classes.row}>
        <TextInput
          label="Name"
          description="What it is for"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problems.name}
          maxLength={100}
          required
          withAsterisk={false}
        />
        <TextInput
          label="Days that it works"
          description="1 to 366"
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={problems.days}
        />
      </div>
      {make.error && Object.keys(problems).length === 0 && (
        <ErrorNotice title="No token was made" error={make.error} />
      )}
      <div className={classes.buttons}>
        <Button type="submit">{make.isPending ? "Making it…" : "Make a token"}</Button>
      </div>
    </form>
  );
}
