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

const STATES: Record<ApiToken["state"], string> = {
  works: "Works",
  expired: "Expired",
  revoked: "Revoked",
};

/** One's own API tokens: make, list, revoke. */
export default function TokensPage() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title="API tokens" parents={[{ to: "/", label: "My studies" }]}>
      <Section title="A new token">
        <p className="soft">
          With a token a script or a notebook asks the API in your name. It opens what your login
          opens, until it expires or you revoke it.
        </p>
        {secret === null ? (
          <MakeTokenForm onMade={setSecret} />
        ) : (
          <MadeToken secret={secret} onDone={() => setSecret(null)} />
        )}
      </Section>
      <Section title="Your tokens">
        <TokenTable />
      </Section>
      <Section title="What a token can do">
        <p>
          It reads whatever you can read on these pages, and changes what you chose when you made
          it. What would let somebody in needs you at the keyboard.{" "}
          <a href="/api/v1/docs/">All addresses of the API, to try them out</a>
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
        title="Your tokens cannot be listed"
        error={tokens.error}
        onRetry={() => void tokens.refetch()}
      />
    );
  }
  if (!tokens.data) return <Loading />;
  return (
    <>
      {revoke.error && <ErrorNotice title="The token was not revoked" error={revoke.error} />}
      <Table
        caption="Your tokens"
        rows={tokens.data}
        keyOf={(token) => token.id}
        empty="You have no tokens."
        columns={[
          { name: "Name", heads: true, cell: (token) => <bdi>{token.name}</bdi> },
          { name: "State", cell: (token) => STATES[token.state] },
          { name: "May change", cell: (token) => SCOPES[token.scope] },
          { name: "Made", numeric: true, cell: (token) => moment(token.created_at) },
          { name: "Works until", numeric: true, cell: (token) => moment(token.expires_at) },
          {
            name: "Last used",
            numeric: true,
            cell: (token) => moment(token.last_used_at) || "Never",
          },
          {
            name: "Change",
            cell: (token) =>
              token.state === "works" && (
                <button
                  type="button"
                  className="linklike small"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => revoke.mutate(token.id)}
                >
                  Revoke
                </button>
              ),
          },
        ]}
      />
    </>
  );
}
