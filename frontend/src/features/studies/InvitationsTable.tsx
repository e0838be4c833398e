import type { Invitation, Issued } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Table } from "~/components/Table";
import { moment, readable } from "~/components/words";
import classes from "./Inviting.module.css";
import { useInvitations, useReplace, useRevoke } from "./inviting";

const STATES: Record<Invitation["state"], string> = {
  waiting: "Waiting",
  used: "Used",
  expired: "Expired",
  revoked: "Revoked",
};

/** Who was invited, and what became of it. */
export function InvitationsTable({
  slug,
  onIssued,
}: {
  slug: string;
  onIssued: (issued: Issued) => void;
}) {
  const invitations = useInvitations(slug);
  const revoke = useRevoke(slug);
  const replace = useReplace(slug);
  const error = invitations.error ?? revoke.error ?? replace.error;
  const rows = invitations.data ?? [];
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {rows.length > 0 && (
        <Fold title={`Invitations (${rows.length})`} rows={rows.length}>
          <Table
            caption="Invitations"
            rows={rows}
            keyOf={(one) => one.id}
            columns={[
              { name: "Address", heads: true, cell: (one) => one.email },
              {
                name: "For",
                cell: (one) => (one.purpose === "access" ? "New password" : readable(one.role)),
              },
              { name: "State", cell: (one) => STATES[one.state] },
              { name: "Works until", numeric: true, cell: (one) => moment(one.expires_at) },
              { name: "By", cell: (one) => one.invited_by || "The operator" },
              {
                name: "Change",
                cell: (one) =>
                  (one.state === "waiting" || one.state === "expired") && (
                    <span className={classes.acts}>
                      <button
                        type="button"
                        className="linklike small"
                        aria-label={`New link for ${one.email}`}
                        onClick={() => replace.mutate(one.id, { onSuccess: onIssued })}
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
      )}
    </>
  );
}
