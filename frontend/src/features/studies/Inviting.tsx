import { Button } from "@mantine/core";
import { useState } from "react";
import type { Issued, Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { InvitationsTable } from "./InvitationsTable";
import { InviteForm } from "./InviteForm";
import { IssuedLinks } from "./IssuedLinks";
import { useRenewAccess } from "./inviting";
import { MembersTable } from "./MembersTable";
import classes from "./StudyPage.module.css";

/** Who takes part, and for admins: who is invited, and inviting more. */
export function Inviting({ study }: { study: Study }) {
  const [issued, setIssued] = useState<Issued[]>([]);
  const [isOpen, setOpen] = useState(false);
  const renew = useRenewAccess(study.slug);
  const people = study.members.filter((member) => !member.is_simulated);
  if (study.role !== "admin") return <MembersTable members={people} />;
  return (
    <>
      <MembersTable
        members={people}
        onRenew={(number) => renew.mutate(number, { onSuccess: (one) => setIssued([one]) })}
      />
      {renew.error && <ErrorNotice title="No new access link was made" error={renew.error} />}
      {issued.length > 0 && <IssuedLinks issued={issued} onDone={() => setIssued([])} />}
      {isOpen ? (
        <InviteForm
          slug={study.slug}
          onIssued={(made) => {
            setIssued(made);
            setOpen(false);
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => setOpen(true)}>
            Invite people
          </Button>
        </div>
      )}
      <InvitationsTable slug={study.slug} onIssued={(one) => setIssued([one])} />
    </>
  );
}
