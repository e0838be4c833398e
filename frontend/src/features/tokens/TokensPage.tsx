import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import type { ApiToken } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Page } from "~/components/Page";
import { Section } from "~/components/Section";
import { moment } from "~/components/words";
import { useRevokeToken, useTokens } from "./calls";
import { MadeToken } from "./MadeToken";
import { MakeTokenForm, SCOPES } from "./MakeTokenForm";

const STATES: Record<ApiToken["state"], MessageDescriptor> = {
  works: msg`Active`,
  expired: msg`Expired`,
  revoked: msg`Revoked`,
};

/** The person's own API tokens: create, list, revoke. */
export default function TokensPage() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title={t`API tokens`} parents={[{ to: "/", label: t`My studies` }]}>
      <Section title={t`New token`}>
        <p className="soft">
          <Trans>
            With a token, a script or notebook can use the API in your name. It has access to
            whatever you have access to, until it expires or you revoke it.
          </Trans>
        </p>
        {secret === null ? (
          <MakeTokenForm onMade={setSecret} />
        ) : (
          <MadeToken secret={secret} onDone={() => setSecret(null)} />
        )}
      </Section>
      <Section title={t`Your tokens`}>
        <TokenTable />
      </Section>
      <Section title={t`What a token can do`}>
        <p>
          <Trans>
            It can read everything that you can read on these pages, and change what you selected
            when you created it. Anything that gives other people access can only be done by you, in
            the browser. <a href="/api/v1/docs/">Try out all addresses of the API</a>
          </Trans>
        </p>
      </Section>
    </Page>
  );
}

function TokenTable() {
  const tokens = useTokens();
  const revoke = useRevokeToken();
  if (tokens.error) {
    return (
      <ErrorNotice
        title={t`Your tokens could not be loaded`}
        error={tokens.error}
        onRetry={() => void tokens.refetch()}
      />
    );
  }
  if (!tokens.data) return <Loading />;
  return (
    <>
      {revoke.error && <ErrorNotice title={t`The token was not revoked`} error={revoke.error} />}
      <Table
        caption={t`Your tokens`}
        rows={tokens.data}
        keyOf={(token) => token.id}
        empty={t`You have no tokens.`}
        columns={[
          { name: t`Name`, heads: true, cell: (token) => <bdi>{token.name}</bdi> },
          { name: t`State`, cell: (token) => i18n._(STATES[token.state]) },
          { name: t`Can change`, cell: (token) => i18n._(SCOPES[token.scope]) },
          { name: t`Created`, numeric: true, cell: (token) => moment(token.created_at) },
          { name: t`Expires`, numeric: true, cell: (token) => moment(token.expires_at) },
          {
            name: t`Last used`,
            numeric: true,
            cell: (token) => moment(token.last_used_at) || t`Never`,
          },
          {
            name: t`Change`,
            cell: (token) =>
              token.state === "works" && (
                <button
                  type="button"
                  className="linklike small"
                  aria-label={t`Revoke ${token.name}`}
                  onClick={() => revoke.mutate(token.id)}
                >
                  <Trans>Revoke</Trans>
                </button>
              ),
          },
        ]}
      />
    </>
  );
}
