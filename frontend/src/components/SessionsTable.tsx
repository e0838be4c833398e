import { Trans, useLingui } from "@lingui/react/macro";
import { Table } from "~/components/lists/Table";
import { moment } from "~/components/words";

export type SignedIn = {
  id: string;
  device: string;
  created_at: string;
  used_at: string;
  is_current: boolean;
};

type Props = { caption: string; rows: SignedIn[]; onEnd: (id: string) => void };

/** The browsers in which a person is signed in, each of which can be signed out. */
export function SessionsTable({ caption, rows, onEnd }: Props) {
  const { t } = useLingui();
  const nameOf = (device: string) => device || t`Unknown browser`;
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={(one) => one.id}
      empty={t`Nowhere.`}
      columns={[
        {
          name: t`Browser`,
          heads: true,
          cell: (one) => (
            <>
              {nameOf(one.device)}
              {one.is_current && <span className="soft"> · {t`this one`}</span>}
              <Times since={moment(one.created_at)} last={moment(one.used_at)} />
            </>
          ),
        },
        {
          name: t`Change`,
          cell: (one) =>
            !one.is_current && (
              <SignOut browser={nameOf(one.device)} onClick={() => onEnd(one.id)} />
            ),
        },
      ]}
    />
  );
}

/** Below the browser's name, so that the link to sign it out is in sight on a phone too. */
function Times({ since, last }: { since: string; last: string }) {
  return (
    <div className="soft small">
      <Trans>
        Signed in {since}, last used {last}
      </Trans>
    </div>
  );
}

function SignOut({ browser, onClick }: { browser: string; onClick: () => void }) {
  const { t } = useLingui();
  return (
    <button
      type="button"
      className="linklike small"
      aria-label={t`Sign out: ${browser}`}
      onClick={onClick}
    >
      <Trans>Sign out</Trans>
    </button>
  );
}
