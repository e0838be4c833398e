import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useSession } from "~/api/session";
import type { Invitation, Issued } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import classes from "~/components/inviting/Inviting.module.css";
import { Table } from "~/components/lists/Table";
import { inDigits, moment, NOTHING } from "~/languages/formats";
import {
  useInvitations,
  useRenewExpired,
  useReplace,
  useRevoke,
  useRevokeSeveral,
} from "./inviting";
import { ROLE_NAMES } from "./roles";

const STATES: Record<Invitation["state"], MessageDescriptor> = {
  waiting: msg({ message: "Waiting", context: "state of an invitation" }),
  used: msg({ message: "Used", context: "state of an invitation" }),
  expired: msg({ message: "Expired", context: "state of an invitation" }),
  revoked: msg({ message: "Revoked", context: "state of an invitation" }),
};
const canEnd = (state: Invitation["state"]) => state === "waiting" || state === "expired";

type Props = { slug: string; onIssued: (issued: Issued[]) => void };

/** Who was invited, and the state of each invitation. */
export function InvitationsTable({ slug, onIssued }: Props) {
  const { t } = useLingui();
  const sendsMail = useSession().data?.sends_mail === true;
  const invitations = useInvitations(slug);
  const revoke = useRevoke(slug);
  const replace = useReplace(slug);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const error = invitations.error ?? revoke.error ?? replace.error;
  const rows = invitations.data ?? [];
  if (rows.length === 0) return error && <ErrorNotice error={error} />;

  function choose(id: string, isChosen: boolean) {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  }

  const mail = {
    name: t`E-mail`,
    cell: (one: Invitation) => <MailState invitation={one} />,
  };
  const many = inDigits(rows.length);
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Fold title={t`Invitations (${many})`} rows={rows.length}>
        <Together
          slug={slug}
          expired={rows.filter((one) => one.state === "expired" && one.purpose === "join").length}
          chosen={rows
            .filter((one) => canEnd(one.state) && chosen.has(one.id))
            .map((one) => one.id)}
          onIssued={onIssued}
        />
        <Table
          caption={t`Invitations`}
          rows={rows}
          keyOf={(one) => one.id}
          columns={[
            {
              name: t`Choose`,
              cell: ({ id, email, state }) =>
                canEnd(state) && (
                  <Checkbox
                    aria-label={t`Choose ${email}`}
                    checked={chosen.has(id)}
                    onChange={(event) => choose(id, event.currentTarget.checked)}
                  />
                ),
            },
            {
              name: t`Address`,
              heads: true,
              cell: ({ name, email }) =>
                name ? (
                  <>
                    <bdi>{name}</bdi>
                    <br />
                    <bdi>{email}</bdi>
                  </>
                ) : (
                  <bdi>{email}</bdi>
                ),
            },
            {
              name: t`For`,
              cell: ({ purpose, role }) =>
                purpose === "access" ? t`New password` : role && t(ROLE_NAMES[role]),
            },
            { name: t`State`, cell: (one) => t(STATES[one.state]) },
            ...(sendsMail || rows.some((one) => one.mail !== null) ? [mail] : []),
            { name: t`Valid until`, numeric: true, cell: (one) => moment(one.expires_at) },
            { name: t`By`, cell: (one) => one.invited_by || t`The operator` },
            {
              name: t`Change`,
              cell: ({ id, email, state }) =>
                canEnd(state) && (
                  <span className={classes.acts}>
                    <button
                      type="button"
                      className="linklike small"
                      aria-label={t`New link for ${email}`}
                      onClick={() => replace.mutate(id, { onSuccess: (made) => onIssued([made]) })}
                    >
                      <Trans>New link</Trans>
                    </button>
                    <button
                      type="button"
                      className="linklike small"
                      aria-label={t`Revoke the invitation for ${email}`}
                      onClick={() => revoke.mutate(id)}
                    >
                      <Trans>Revoke</Trans>
                    </button>
                  </span>
                ),
            },
          ]}
        />
      </Fold>
    </>
  );
}

function MailState({
  invitation: { mail, mail_error: why, mailed_at: at },
}: {
  invitation: Invitation;
}) {
  const { t } = useLingui();
  if (mail === null) return NOTHING;
  if (mail === "failed")
    return (
      <Trans>
        Not sent: <bdi>{why}</bdi> Create a new link and send it yourself.
      </Trans>
    );
  const sent = moment(at);
  return mail === "succeeded" ? t`Sent ${sent}` : t`Being sent`;
}

type TogetherProps = Props & { expired: number; chosen: string[] };

/** Actions on several at once. */
function Together({ slug, expired, chosen, onIssued }: TogetherProps) {
  const { t } = useLingui();
  const renew = useRenewExpired(slug);
  const revoke = useRevokeSeveral(slug);
  const error = renew.error ?? revoke.error;
  return (
    <>
      {error && <ErrorNotice title={t`Nothing was changed`} error={error} />}
      <div className={classes.buttons}>
        {expired > 0 && (
          <Button
            variant="default"
            size="sm"
            onClick={() => !renew.isPending && renew.mutate("all", { onSuccess: onIssued })}
          >
            <Plural
              value={expired}
              one="New link for the expired invitation"
              other="New links for all # expired invitations"
            />
          </Button>
        )}
        {chosen.length > 0 && (
          <Button
            variant="default"
            size="sm"
            onClick={() => !revoke.isPending && revoke.mutate(chosen)}
          >
            <Plural value={chosen.length} one="Revoke # invitation" other="Revoke # invitations" />
          </Button>
        )}
      </div>
    </>
  );
}
