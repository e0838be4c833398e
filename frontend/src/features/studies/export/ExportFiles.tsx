import { Trans, useLingui } from "@lingui/react/macro";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { isActive, JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { fileSize, inDigits, moment } from "~/languages/formats";
import { type ExportFile, useCancelFile, useExportFiles } from "./calls";
import classes from "./Export.module.css";
import { filtersInWords } from "./filters";

/** The finished files, and the progress of the one being written. */
export function ExportFiles({ slug }: { slug: string }) {
  const { t } = useLingui();
  const files = useExportFiles(slug);
  const cancel = useCancelFile(slug);
  if (files.error) {
    return (
      <ErrorNotice
        title={t`The files could not be loaded`}
        error={files.error}
        onRetry={() => void files.refetch()}
      />
    );
  }
  if (!files.data) return <Loading />;
  return (
    <>
      {cancel.error && <ErrorNotice error={cancel.error} />}
      {files.data
        .filter((one, place) => isActive(one.state) || (place === 0 && one.state !== "succeeded"))
        .map(({ format, ...one }) => (
          <JobProgress
            key={one.id}
            job={one}
            what={t`Export as ${format}`}
            failed={t`The export failed`}
            onCancel={() => cancel.mutate(one.id)}
            cancelling={cancel.isPending}
          />
        ))}
      <Table
        caption={t`Exported files, newest first`}
        rows={files.data.filter((one) => one.state === "succeeded")}
        keyOf={(one) => one.id}
        empty={t`No files have been created yet.`}
        columns={[
          { name: t`File`, heads: true, cell: (one) => <bdi>{one.name}</bdi> },
          { name: t`Contains`, cell: (one) => filtersInWords(one.filters) },
          { name: t`Answers`, numeric: true, cell: (one) => inDigits(one.responses) },
          { name: t`Size`, numeric: true, cell: (one) => fileSize(one.size) },
          {
            name: t`Made`,
            cell: (one) => (
              <>
                {moment(one.finished_at)}
                <br />
                <bdi>{one.made_by}</bdi>
              </>
            ),
          },
          {
            name: "SHA-256",
            cell: (one) => (
              <details className={classes.sha}>
                <summary>
                  <Trans>Show</Trans>
                </summary>
                <Fingerprint sha256={one.sha256} />
              </details>
            ),
          },
          { name: t`Download`, cell: (one) => <Take file={one} /> },
        ]}
      />
    </>
  );
}

function Take({ file }: { file: ExportFile }) {
  if (!file.is_there) return <Trans>Deleted after seven days</Trans>;
  if (!file.may_take) return <Trans>Only for admins of the study</Trans>;
  const until = moment(file.expires_at);
  return (
    <>
      <Download href={`/api/v1/export-files/${file.id}/file/`}>
        <Trans>Download</Trans>
      </Download>
      <br />
      <span className="soft small">
        <Trans>until {until}</Trans>
      </span>
    </>
  );
}
