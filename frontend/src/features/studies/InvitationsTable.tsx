import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useSession } from "~/api/session";
import type { Invitation, Issued } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import classes from "~/components/inviting/Inviting.module.css";
import { Table } from "~/components/lists/Table";
import { counted, moment, readable } from "~/components/words";
import {
  useInvitations,
  useRenewExpired,
  useReplace,
  useRevoke,
  useRevokeSeveral,
} from "./inviting";

const STATES: Record<Invitation["state"], string> = {
  waiting: "Waiting",
  used: "Used",
  expired: "Expired",
  revoked: "Revoked",
};
const canEnd = ({ state }: Invitation) => state === "waiting" || state === "expired";

type Props = { slug: string; onIssued: (issued: Issued[]) => void };

/** Who was invited, and what became of it. */
export function InvitationsTable({ slug, onIssued }: Props) {
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
    name: "Mail",
    cell: (one: Invitation) => <MailState invitation={one} />,
  };
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Fold title={`Invitations (${rows.length})`} rows={rows.length}>
        <Together
          slug={slug}
          expired={rows.filter((one) => one.state === "expired" && one.purpose === "join").length}
          chosen={rows.filter((one) => canEnd(one) && chosen.has(one.id)).map((one) => one.id)}
          onIssued={onIssued}
        />
        <Table
          caption="Invitations"
          rows={rows}
          keyOf={(one) => one.id}
          columns={[
            {
              name: "Choose",
              cell: (one) =>
                canEnd(one) && (
                  <Checkbox
                    aria-label={`Choose ${one.email}`}
                    checked={chosen.has(one.id)}
                    onChange={(event) => choose(one.id, event.currentTarget.checked)}
                  />
                ),
            },
            {
              name: "Address",
              heads: true,
              cell: (one) => <bdi>{one.name ? `${one.name}, ${one.email}` : one.email}</bdi>,
            },
            {
              name: "For",
              cell: (one) => (one.purpose === "access" ? "New password" : readable(one.role)),
            },
            { name: "State", cell: (one) => STATES[one.state] },
            ...(sendsMail || rows.some((one) => one.mail !== null) ? [mail] : []),
            { name: "Works until", numeric: true, cell: (one) => moment(one.expires_at) },
            { name: "By", cell: (one) => one.invited_by || "The operator" },
            {
              name: "Change",
              cell: (one) =>
                canEnd(one) && (
                  <span className={classes.acts}>
                    <button
                      type="button"
                      className="linklike small"
                      aria-label={`New link for ${one.email}`}
                      onClick={() =>
                        replace.mutate(one.id, { onSuccess: (made) => onIssued([made]) })
                      }
                    >
                      New link
                    </button>
                    <button
                      type="button"
                      className="linklike small"
                      aria-label={`Revoke the invitation of ${one.email}`}
                      onClick={() => revoke.mutate(one.id)}
                    >
                      Revoke
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
  if (mail === null) return "–";
  if (mail === "failed") return <>Not sent: {why} Copy a new link, and send it yourself.</>;
  return mail === "succeeded" ? `Sent ${moment(at)}` : "On its way";
}

type TogetherProps = Props & { expired: number; chosen: string[] };

/** What is done to several at once. */
function Together({ slug, expired, chosen, onIssued }: TogetherProps) {
  const renew = useRenewExpired(slug);
  const revoke = useRevokeSeveral(slug);
  const error = renew.error ?? revoke.error;
  return (
    <>
      {error && <ErrorNotice title="Nothing was changed" error={error} />}
      <div className={classes.buttons}>
        {expired > 0 && (
          <Button
            variant="default"
            size="sm"
            onClick={() => !renew.isPending && renew.mutate("all", { onSuccess: onIssued })}
          >
            New links for all {expired} expired
          </Button>
        )}
        {chosen.length > 0 && (
          <Button
            variant="default"
            size="sm"
            onClick={() => !revoke.isPending && revoke.mutate(chosen)}
          >
            Revoke {counted(chosen.length, "invitation", "invitations")}
          </Button>
        )}
      </div>
    </>
  );
}
