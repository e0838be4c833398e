import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { ApiToken } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useMakeToken } from "./calls";
import classes from "./Tokens.module.css";

/** What a token may write; also used in the list of tokens. */
export const SCOPES: Record<ApiToken["scope"], MessageDescriptor> = {
  all: msg`Everything you can change`,
  read: msg`Nothing (read only)`,
  members: msg`Who takes part`,
  assignments: msg`Who answers what`,
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
    <form onSubmit={submit} className={classes.form} aria-label={t`New token`}>
      <div className={classes.row}>
        <TextInput
          label={t`Name`}
          description={t`What it is for`}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problems.name}
          maxLength={100}
          required
          withAsterisk={false}
        />
        <TextInput
          label={t`Valid for (days)`}
          description={t`1 to 366`}
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={problems.days}
        />
        <NativeSelect
          label={t`It can change`}
          description={t`It can read everything that you can read.`}
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value as ApiToken["scope"])}
          data={Object.entries(SCOPES).map(([value, words]) => ({ value, label: i18n._(words) }))}
        />
      </div>
      {make.error && Object.keys(problems).length === 0 && (
        <ErrorNotice title={t`The token was not created`} error={make.error} />
      )}
      <div className={classes.buttons}>
        <Button type="submit">{make.isPending ? t`Creating…` : t`Create a token`}</Button>
      </div>
    </form>
  );
}
