import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import type { StudyDocument } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, JobProgress } from "~/components/JobProgress";
import { Table } from "~/components/lists/Table";
import { moment, sizeInWords } from "~/components/words";
import classes from "./Documents.module.css";
import { useAskForDocument, useCancelDocument, useDocuments } from "./documents";

const KINDS: Record<StudyDocument["kind"], string> = {
  report_html: "Report (HTML)",
  report_pdf: "Report (PDF)",
  report_latex: "Report (LaTeX)",
  report_docx: "Report (Word)",
  bundle: "Bundle (ZIP)",
};

/** The ways in which a report is written, each with what it is good for. */
const REPORTS: { kind: StudyDocument["kind"]; name: string; says: string }[] = [
  {
    kind: "report_html",
    name: "Make a report (HTML)",
    says: "One file to read on a screen, also on a phone and in the dark.",
  },
  { kind: "report_pdf", name: "Make a report (PDF)", says: "The same on A4, to print or to send." },
  {
    kind: "report_docx",
    name: "Make a report (Word)",
    says: "A document to go on writing in, with tables and pictures.",
  },
  {
    kind: "report_latex",
    name: "Make a report (LaTeX)",
    says: "A folder for a paper: the text, each figure as wide as it stands in the text, long tables as CSV.",
  },
];

/** The report to read and the bundle to check: made by a worker, kept for some days. */
export function Documents({ slug }: { slug: string }) {
  const [withTexts, setWithTexts] = useState(false);
  const documents = useDocuments(slug);
  const ask = useAskForDocument(slug);
  const cancel = useCancelDocument(slug);
  const busy = documents.data?.some((one) => isActive(one.state)) ?? false;
  const error = documents.error ?? ask.error ?? cancel.error;
  return (
    <>
      <p className="soft">
        A report shows plan, experts (as numbers), responses and all results. A bundle holds data,
        plan and results, so that anybody can compute every number again.
      </p>
      <ul className={classes.ways}>
        {REPORTS.map((way) => (
          <li key={way.kind}>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => ask.mutate({ kind: way.kind, with_texts: false })}
            >
              {way.name}
            </Button>
            <span className="soft">{way.says}</span>
          </li>
        ))}
      </ul>
      <div className={classes.bundle}>
        <Button
          variant="default"
          disabled={busy}
          onClick={() => ask.mutate({ kind: "bundle", with_texts: withTexts })}
        >
          Make a bundle
        </Button>
        <Checkbox
          label="With the texts, which may be confidential"
          checked={withTexts}
          onChange={(event) => setWithTexts(event.currentTarget.checked)}
        />
      </div>
      {error && <ErrorNotice error={error} />}
      {documents.data
        ?.filter((one, place) => isActive(one.state) || (place === 0 && one.state !== "succeeded"))
        .map((one) => (
          <JobProgress
            key={one.id}
            job={one}
            what={KINDS[one.kind]}
            onCancel={() => cancel.mutate(one.id)}
            cancelling={cancel.isPending}
          />
        ))}
      <Made documents={documents.data ?? []} />
    </>
  );
}

function Made({ documents }: { documents: StudyDocument[] }) {
  const made = documents.filter((one) => one.state === "succeeded");
  if (made.length === 0) return null;
  return (
    <Table
      caption="Reports and bundles, newest first"
      rows={made}
      keyOf={(one) => one.id}
      columns={[
        {
          name: "Document",
          heads: true,
          cell: (one) => KINDS[one.kind] + (one.with_texts ? ", with texts" : ""),
        },
        { name: "Made", numeric: true, cell: (one) => moment(one.finished_at) },
        { name: "Size", numeric: true, cell: (one) => sizeInWords(one.size) },
        { name: "SHA-256", cell: (one) => <code>{one.sha256.slice(0, 12)}…</code> },
        {
          name: "File",
          cell: (one) =>
            one.is_there ? (
              <Download href={`/api/v1/documents/${one.id}/file/`}>Download</Download>
            ) : (
              "Removed after some days"
            ),
        },
      ]}
    />
  );
}
