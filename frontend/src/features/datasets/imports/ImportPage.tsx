import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Facts } from "~/components/Section";
import { State } from "~/components/State";
import { moment } from "~/components/words";
import { DeleteDialog } from "../DeleteDialog";
import { useCancelImport, useImport, useUndoImport } from "./calls";
import { ReportView } from "./ReportView";
import { whatInWords } from "./verdict";

/** A past check or import: its report, what it stored, and how to undo it. */
export default function ImportPage() {
  const { id = "" } = useParams();
  const job = useImport(id);
  const cancel = useCancelImport(id);
  const undo = useUndoImport(id);
  const [asking, setAsking] = useState(false);
  const parents = [
    { to: "/datasets", label: t`Datasets` },
    { to: "/imports", label: t`Import` },
  ];
  return (
    <Page title={job.data ? whatInWords(job.data) : t`Import`} parents={parents}>
      {job.error && <ErrorNotice title={t`The import could not be loaded`} error={job.error} />}
      {job.isPending && <Loading />}
      {job.data && (
        <>
          <Facts
            facts={[
              [
                t`Dataset`,
                job.data.made ? <Made key="made" slug={job.data.made} /> : job.data.dataset,
              ],
              [t`Files`, job.data.files.join("; ")],
              [t`Started`, moment(job.data.created_at)],
              [t`State`, <State key="state" state={job.data.state} />],
            ]}
          />
          {isActive(job.data.state) && (
            <JobProgress
              job={job.data}
              what={job.data.dry_run ? t`The check` : t`The import`}
              failed={job.data.dry_run ? t`The check failed` : t`The import failed`}
              onCancel={() => cancel.mutate()}
              cancelling={cancel.isPending || cancel.isSuccess}
            />
          )}
          {job.data.error && <ErrorNotice title={t`This failed`} error={job.data.error} />}
          <ReportView job={job.data} />
          {job.data.undone_at && (
            <p>
              <Trans>Undone on {moment(job.data.undone_at)}.</Trans>
            </p>
          )}
          {job.data.made && job.data.report?.changed && (
            <div>
              <Button variant="default" onClick={() => setAsking(true)}>
                <Trans>Undo this import…</Trans>
              </Button>
            </div>
          )}
          <DeleteDialog
            opened={asking}
            title={t`Undo this import`}
            goes={t`This deletes the data that the import saved, including analyses of it and, for a dataset, its predictions. Data used by a study cannot be deleted.`}
            change={undo}
            button={t`Undo`}
            onGo={() => undo.mutate(undefined, { onSuccess: () => setAsking(false) })}
            onClose={() => setAsking(false)}
          />
        </>
      )}
    </Page>
  );
}

function Made({ slug }: { slug: string }) {
  return <Link to={`/datasets/${slug}`}>{slug}</Link>;
}
