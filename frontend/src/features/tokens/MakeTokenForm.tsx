import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { ApiToken } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useMakeToken } from "./calls";
import classes from "./Tokens.module.css";

/** What a token may write, as the list of tokens says it, too. */
export const SCOPES: Record<ApiToken["scope"], string> = {
  all: "Whatever you may",
  read: "Nothing",
  members: "Who takes part",
  assignments: "Who answers what",
};

type Props = { onMade: (secret: string) => void };

/** A name, and how long the token works. */
export function MakeTokenForm({ onMade }: Props) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scope, setScope] = useState<ApiToken["scope"]>("all");
  const make = useMakeToken();
  const problems = fieldErrors(make.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (make.isPending) return;
    make.mutate({ name, days: Number(days), scope }, { onSuccess: ({ secret }) => onMade(secret) });
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
        <NativeSelect
          label="It may change"
          description="It reads whatever you may read"
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value as ApiToken["scope"])}
          data={Object.entries(SCOPES).map(([value, label]) => ({ value, label }))}
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
