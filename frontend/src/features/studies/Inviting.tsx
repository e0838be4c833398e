import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Issued, Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { IssuedLinks } from "~/components/inviting/IssuedLinks";
import { InvitationsTable } from "./InvitationsTable";
import { InviteForm } from "./InviteForm";
import { useRenewAccess } from "./inviting";
import { Reminding } from "./people/Reminding";
import classes from "./StudyPage.module.css";

type Props = {
  study: Study;
  /** Who takes part, with the means to make new access links for those who may. */
  children: (onRenew?: (number: number) => void) => ReactNode;
};

/** Who takes part and, for admins, who is invited and inviting more people. */
export function Inviting({ study, children }: Props) {
  const { t } = useLingui();
  const [issued, setIssued] = useState<Issued[]>([]);
  const [isOpen, setOpen] = useState(false);
  const renew = useRenewAccess(study.slug);
  if (study.role !== "admin") return children();
  return (
    <>
      {children((number) => renew.mutate(number, { onSuccess: (one) => setIssued([one]) }))}
      {renew.error && <ErrorNotice title={t`No new access link was created`} error={renew.error} />}
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
            <Trans>Invite people</Trans>
          </Button>
        </div>
      )}
      <Reminding slug={study.slug} />
      <InvitationsTable slug={study.slug} onIssued={setIssued} />
    </>
  );
}
