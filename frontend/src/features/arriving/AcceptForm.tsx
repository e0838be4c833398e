import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError, fieldErrors } from "~/api/errors";
import type { Arrived, Invited } from "~/api/types";
import { Consent } from "~/components/Consent";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Page } from "~/components/Page";
import classes from "./AcceptForm.module.css";
import { useAccept } from "./calls";

type Props = {
  token: string;
  invited: Invited;
  isSignedIn: boolean;
  /** The consent text has changed: show the new one. */
  onChanged: () => void;
  onArrived: (arrived: Arrived) => void;
};

/** What the invitation is to, consent, and a password: one page, one button. */
export function AcceptForm({ token, invited, isSignedIn, onChanged, onArrived }: Props) {
  const { t } = useLingui();
  const [agreed, setAgreed] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState(false);
  const accept = useAccept();
  const { consent, email, invited_by: by, purpose, study } = invited;
  const isNew = purpose === "access";
  const hasAgreed = consent === null || agreed === consent.version;

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (!hasAgreed) {
      document.getElementById("agree")?.focus();
      return;
    }
    if (accept.isPending) return;
    accept.mutate(
      { token, password, consent: agreed },
      {
        onSuccess: onArrived,
        onError: (error) => {
          const code = error instanceof ApiError ? error.code : "";
          if (code === "consent_changed") onChanged();
          document.getElementById("password")?.focus();
        },
      },
    );
  }

  const { error } = accept;
  const isWrong = error instanceof ApiError && error.code === "bad_login";
  const problem = isWrong ? error.message : fieldErrors(error).password;
  const isHere = purpose === "arrive";
  const title = isNew
    ? t`Choose a new password`
    : isHere
      ? t`Welcome to HLV Study`
      : t`Welcome to the study`;
  return (
    <Page title={title}>
      <form onSubmit={submit} className={classes.form} noValidate>
        <p className={classes.what}>
          {isHere ? (
            by ? (
              <Trans>
                <bdi>{by}</bdi> invites you to use HLV Study.
              </Trans>
            ) : (
              <Trans>You are invited to use HLV Study.</Trans>
            )
          ) : isNew ? (
            <Trans>
              You can then continue with <bdi>“{study}”</bdi>. You will be signed out everywhere
              else.
            </Trans>
          ) : by ? (
            <Trans>
              <bdi>{by}</bdi> invites you to take part in <bdi>“{study}”</bdi>.
            </Trans>
          ) : (
            <Trans>
              You are invited to take part in <bdi>“{study}”</bdi>.
            </Trans>
          )}
        </p>
        {consent && (
          <Consent
            html={consent.html}
            language={invited.language}
            direction={invited.direction}
            hasAgreed={hasAgreed}
            onAgree={(agrees) => setAgreed(agrees ? consent.version : "")}
            isMissing={asked && !hasAgreed}
          />
        )}
        <div className={classes.fields}>
          <TextInput
            label={t`Your e-mail address`}
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            readOnly
            dir="ltr"
          />
          {!isSignedIn && (
            <PasswordInput
              id="password"
              label={invited.has_account ? t`Your password` : t`Choose a password`}
              description={
                invited.has_account
                  ? t`This address already has an account here. Please enter its password.`
                  : t`At least 10 characters, and not a common password. A few words in a row work well.`
              }
              name="password"
              autoComplete={invited.has_account ? "current-password" : "new-password"}
              visibilityToggleButtonProps={{
                "aria-label": t`Show or hide the password`,
                // Reachable by keyboard, so that everyone can check what they typed.
                tabIndex: 0,
              }}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={problem}
              aria-invalid={problem !== undefined}
            />
          )}
        </div>
        {error && !problem && <ErrorNotice title={t`This did not work`} error={error} />}
        <Button type="submit" className={classes.go}>
          {accept.isPending
            ? t`One moment…`
            : isNew
              ? t`Save the password and continue`
              : consent
                ? t`Agree and continue`
                : t`Continue`}
        </Button>
      </form>
    </Page>
  );
}
