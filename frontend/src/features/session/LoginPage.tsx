import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { Navigate, useSearchParams } from "react-router";
import { ApiError } from "~/api/errors";
import { useSession, useSignIn } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { forResearchers } from "~/languages/researchers";
import classes from "./LoginPage.module.css";

// Only a demo needs it.
const RoleCards = forResearchers(() => import("~/components/demo/RoleCards"));

// Experts are not asked for a code.
const SecondStep = lazy(() => import("./SecondStep"));

// Only servers with a sign-in provider need it.
const ProviderButton = lazy(() => import("./ProviderButton"));

/** The sign-in page. There is no sign-up: accounts are created by invitation. */
export default function LoginPage() {
  const { t } = useLingui();
  const session = useSession();
  const signIn = useSignIn();
  const [params] = useSearchParams();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");

  if (session.data?.user) {
    return <Navigate to={inside(params.get("next"))} replace state={{ arrived: true }} />;
  }

  if (session.data?.second_step === "code") {
    return (
      <Suspense fallback={<Loading />}>
        <SecondStep />
      </Suspense>
    );
  }

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (!signIn.isPending) signIn.mutate({ email: email.trim(), password });
  }

  const isUnreachable = signIn.error instanceof ApiError && signIn.error.isTransient;
  const provider = session.data?.provider;
  const isDemo = session.data?.is_demo === true;
  return (
    <Page title={isDemo ? t`Welcome to HLV Study` : t`Sign in`}>
      {isDemo && (
        <Suspense fallback={<Loading />}>
          <RoleCards />
        </Suspense>
      )}
      {isDemo && (
        <h2>
          <Trans>Or sign in with a password</Trans>
        </h2>
      )}
      <form onSubmit={submit} className={classes.form}>
        {signIn.error && (
          <ErrorNotice
            title={t`You are not signed in`}
            error={signIn.error}
            onRetry={isUnreachable ? submit : undefined}
          />
        )}
        <TextInput
          label={t`E-mail address`}
          type="email"
          dir="ltr"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={!isDemo}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={t`Password`}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": t`Show or hide the password` }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" className={classes.go}>
          {signIn.isPending ? t`Signing in…` : t`Sign in`}
        </Button>
        <p className="soft small">
          <Trans>
            Accounts are by invitation only. If yours does not work, please contact the person who
            invited you.
          </Trans>
        </p>
      </form>
      {provider && (
        <Suspense fallback={<Loading />}>
          <ProviderButton name={provider} next={inside(params.get("next"))} />
        </Suspense>
      )}
    </Page>
  );
}

/** Only addresses on this site: others would turn the login page into a trap. */
export function inside(next: string | null): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.includes("\\") ? next : "/";
}
