import { Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useSession } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { useLanguages } from "~/languages/LanguageProvider";
import { type Code, LANGUAGES } from "~/languages/languages";
import classes from "./Account.module.css";
import { BreakIn } from "./BreakIn";
import { CloseAccount } from "./CloseAccount";
import { useAccount, useChangeAccount } from "./calls";
import { OwnStudies } from "./OwnStudies";
import { PasswordForm } from "./PasswordForm";
import { Provider } from "./Provider";
import { SecondFactor } from "./SecondFactor";
import { SignedInOn } from "./SignedInOn";
import { WhatIsKept } from "./WhatIsKept";

/** The person's own account, for everyone who can sign in. */
export default function AccountPage() {
  const { t } = useLingui();
  const account = useAccount();
  const name = useSession().data?.provider;
  return (
    <Page title={t`Your account`} parents={[{ to: "/", label: t`My studies` }]}>
      {account.error && (
        <ErrorNotice error={account.error} onRetry={() => void account.refetch()} />
      )}
      {account.isPending && <Loading />}
      {account.data && (
        <>
          <Section title={t`About you`}>
            <AboutForm email={account.data.email} name={account.data.name} />
          </Section>
          <Section title={t`Your studies`}>
            <OwnStudies studies={account.data.studies} />
          </Section>
          <Section title={t`Password`}>
            <PasswordForm email={account.data.email} />
          </Section>
          <Section title={t`Second factor`}>
            <SecondFactor />
          </Section>
          {name && (
            <Section title={t`Sign in with ${name}`}>
              <Provider name={name} />
            </Section>
          )}
          <Section title={t`Where you are signed in`}>
            <SignedInOn />
          </Section>
          <Section title={t`Somebody was in my account`}>
            <BreakIn email={account.data.email} />
          </Section>
          <Section title={t`What is saved about you`}>
            <WhatIsKept />
          </Section>
          <Section title={t`Close your account`}>
            <CloseAccount />
          </Section>
        </>
      )}
    </Page>
  );
}

function AboutForm({ email, name: before }: { email: string; name: string }) {
  const { t } = useLingui();
  const { own, choose } = useLanguages();
  const [name, setName] = useState(before);
  const [language, setLanguage] = useState<Code>(own);
  const change = useChangeAccount();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!change.isPending) change.mutate({ name, language }, { onSuccess: () => choose(language) });
  }

  return (
    <form onSubmit={submit} className={classes.form} aria-label={t`About you`}>
      <TextInput label={t`Your e-mail address`} value={email} readOnly dir="ltr" />
      <TextInput
        label={t`Name`}
        autoComplete="name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={t`Language`}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Code)}
      >
        {LANGUAGES.map((one) => (
          <option key={one.code} value={one.code} lang={one.code}>
            {one.name}
          </option>
        ))}
      </NativeSelect>
      {change.error && <ErrorNotice title={t`Nothing was changed`} error={change.error} />}
      <div className={classes.buttons}>
        <Button type="submit">
          <Trans>Save</Trans>
        </Button>
        <span role="status" className="soft small">
          {change.isSuccess && t`Saved`}
        </span>
      </div>
    </form>
  );
}
