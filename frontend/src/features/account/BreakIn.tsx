import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { moment } from "~/components/words";
import classes from "./Account.module.css";
import { useEndEverything, useOpenings } from "./calls";

type Openings = Record<"sessions" | "tokens" | "links" | "passkeys" | "apps" | "providers", number>;
type SignIn = { at: string; known_device: boolean };

const focusOnIt = (element: HTMLElement | null) => element?.focus();

/** For a person in whose account somebody else was: what opens it is shown, ended, and a new password chosen. */
export function BreakIn({ email }: { email: string }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState("");
  const end = useEndEverything();
  const weak = fieldErrors(end.error).password;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!end.isPending) end.mutate(password);
  }

  if (end.data) {
    return (
      <div className={classes.form} role="status">
        <p tabIndex={-1} ref={focusOnIt}>
          <strong>
            <Trans>This has ended:</Trans>
          </strong>
        </p>
        <OpeningsList openings={end.data.openings} />
        <p>
          <Trans>
            The admins of this server see it in their log. Sign in with your new password, and look
            through your studies for what is not yours.
          </Trans>
        </p>
        <SignIns rows={end.data.sign_ins} />
        <div>
          <Button onClick={() => location.assign("/login")}>
            <Trans>Sign in</Trans>
          </Button>
        </div>
      </div>
    );
  }
  return (
    <>
      <p className="soft">
        <Trans>
          If somebody else could use your account (a stolen laptop, a password that became known),
          end everything that opens it at once, and choose a new password.
        </Trans>
      </p>
      {!isAsking ? (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            <Trans>Somebody was in my account</Trans>
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className={classes.form} aria-label={t`Somebody was in my account`}>
          <WhatOpensIt />
          <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label={t`New password`}
            description={t`At least 10 characters, and not a common password. A few words in a row work well.`}
            autoComplete="new-password"
            required
            withAsterisk={false}
            autoFocus
            visibilityToggleButtonProps={{
              "aria-label": t`Show or hide the password`,
              tabIndex: 0,
            }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={weak}
          />
          {end.error && !weak && <ErrorNotice title={t`Nothing was changed`} error={end.error} />}
          <div className={classes.buttons}>
            <Button type="submit">
              <Trans>End all of this</Trans>
            </Button>
            <Button variant="default" onClick={() => setAsking(false)}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        </form>
      )}
    </>
  );
}

function WhatOpensIt() {
  const found = useOpenings();
  if (found.error) {
    return <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <Loading />;
  const { openings, sign_ins } = found.data;
  return (
    <>
      <p>
        <Trans>This will end, here as well:</Trans>
      </p>
      <OpeningsList openings={openings} />
      {openings.passkeys + openings.apps > 0 && (
        <p>
          <Trans>When you sign in, you will set up a new second factor.</Trans>
        </p>
      )}
      <SignIns rows={sign_ins} />
    </>
  );
}

function OpeningsList({ openings }: { openings: Openings }) {
  const { sessions, tokens, links, passkeys, apps, providers } = openings;
  const lines: [number, string][] = [
    [sessions, plural(sessions, { one: "# signed-in browser", other: "# signed-in browsers" })],
    [tokens, plural(tokens, { one: "# API token", other: "# API tokens" })],
    [
      links,
      plural(links, {
        one: "# open invitation or link of yours",
        other: "# open invitations and links of yours",
      }),
    ],
    [passkeys, plural(passkeys, { one: "# passkey", other: "# passkeys" })],
    [
      apps,
      plural(apps, {
        one: "# app for codes, with its recovery codes",
        other: "# apps for codes, with their recovery codes",
      }),
    ],
    [
      providers,
      plural(providers, {
        one: "# connection to the sign-in provider",
        other: "# connections to the sign-in provider",
      }),
    ],
  ];
  return (
    <ul>
      {lines
        .filter(([count]) => count > 0)
        .map(([, words]) => (
          <li key={words}>{words}</li>
        ))}
    </ul>
  );
}

function SignIns({ rows }: { rows: SignIn[] }) {
  const { t } = useLingui();
  return (
    <>
      <h3>
        <Trans>Latest sign-ins</Trans>
      </h3>
      <Table
        caption={t`Latest sign-ins`}
        rows={rows}
        keyOf={(one) => one.at}
        empty={t`None.`}
        columns={[
          { name: t`When`, heads: true, cell: (one) => moment(one.at) },
          {
            name: t`Browser`,
            cell: (one) => (one.known_device ? t`used before` : t`new to this account`),
          },
        ]}
      />
    </>
  );
}
