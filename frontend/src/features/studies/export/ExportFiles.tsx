import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { isActive, JobProgress } from "~/components/JobProgress";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { moment, sizeInWords } from "~/components/words";
import { type ExportFile, useCancelFile, useExportFiles } from "./calls";
import classes from "./Export.module.css";
import { filtersInWords } from "./filters";

/** The files that were made, and how far the one is that is being written. */
export function ExportFiles({ slug }: { slug: string }) {
  const files = useExportFiles(slug);
  const cancel = useCancelFile(slug);
  if (files.error) {
    return (
      <ErrorNotice
        title="The files cannot be listed"
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
        .map((one) => (
          <JobProgress
            key={one.id}
            job={one}
            what={`Export as ${one.format}`}
            onCancel={() => cancel.mutate(one.id)}
            cancelling={cancel.isPending}
          />
        ))}
      <Table
        caption="Exported files, newest first"
        rows={files.data.filter((one) => one.state === "succeeded")}
        keyOf={(one) => one.id}
        empty="No file has been made yet."
        columns={[
          { name: "File", heads: true, cell: (one) => one.name },
          { name: "Holds", cell: (one) => filtersInWords(one.filters) },
          {
            name: "Answers",
            numeric: true,
            cell: (one) => one.responses.toLocaleString("en-GB"),
          },
          { name: "Size", numeric: true, cell: (one) => sizeInWords(one.size) },
          { name: "Made", cell: (one) => `${moment(one.finished_at)}, ${one.made_by}` },
          {
            name: "SHA-256",
            cell: (one) => (
              <details className={classes.sha}>
                <summary>Show</summary>
                <Fingerprint sha256={one.sha256} />
              </details>
            ),
          },
          { name: "Take it", cell: (one) => <Take file={one} /> },
        ]}
      />
    </>
  );
}

function Take({ file }: { file: ExportFile }) {
  if (!file.is_there) return "Removed after seven days";
  if (!file.may_take) return "For admins of the study";
  return (
    <>
      <Download href={`/api/v1/export-files/${file.id}/file/`}>Download</Download>
      <br />
      <span className="soft small">until {moment(file.expires_at)}</span>
    </>
  );
}
