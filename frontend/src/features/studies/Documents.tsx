import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import type { StudyDocument } from "~/api/types";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isActive, JobProgress } from "~/components/JobProgress";
import { Table } from "~/components/lists/Table";
import { fileSize, moment } from "~/languages/formats";
import classes from "./Documents.module.css";
import { useAskForDocument, useCancelDocument, useDocuments } from "./documents";

const KINDS: Record<StudyDocument["kind"], MessageDescriptor> = {
  report_html: msg`Report (HTML)`,
  report_pdf: msg`Report (PDF)`,
  report_latex: msg`Report (LaTeX)`,
  report_docx: msg`Report (Word)`,
  bundle: msg`Bundle (ZIP)`,
};

/** A report's formats, each with what it is good for. */
const REPORTS: {
  kind: StudyDocument["kind"];
  name: MessageDescriptor;
  says: MessageDescriptor;
}[] = [
  {
    kind: "report_html",
    name: msg`Create a report (HTML)`,
    says: msg`One file to read on a screen; it also suits phones and dark mode.`,
  },
  {
    kind: "report_pdf",
    name: msg`Create a report (PDF)`,
    says: msg`The same on A4 pages, to print or send.`,
  },
  {
    kind: "report_docx",
    name: msg`Create a report (Word)`,
    says: msg`A document that you can edit, with tables and figures.`,
  },
  {
    kind: "report_latex",
    name: msg`Create a report (LaTeX)`,
    says: msg`A folder for a paper: the text, figures at the width of the text, long tables as CSV.`,
  },
];

/** The report to read and the bundle to verify: made by a worker and kept for some days. */
export function Documents({ slug }: { slug: string }) {
  const { t } = useLingui();
  const [withTexts, setWithTexts] = useState(false);
  const documents = useDocuments(slug);
  const ask = useAskForDocument(slug);
  const cancel = useCancelDocument(slug);
  const busy = documents.data?.some((one) => isActive(one.state)) ?? false;
  const error = documents.error ?? ask.error ?? cancel.error;
  return (
    <>
      <p className="soft">
        <Trans>
          A report shows the plan, the experts (by number only), the answers and all results. A
          bundle contains the data, the plan and the results, so that anyone can recompute every
          number.
        </Trans>
      </p>
      <ul className={classes.ways}>
        {REPORTS.map((way) => (
          <li key={way.kind}>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => ask.mutate({ kind: way.kind, with_texts: false })}
            >
              {t(way.name)}
            </Button>
            <span className="soft">{t(way.says)}</span>
          </li>
        ))}
      </ul>
      <div className={classes.bundle}>
        <Button
          variant="default"
          disabled={busy}
          onClick={() => ask.mutate({ kind: "bundle", with_texts: withTexts })}
        >
          <Trans>Create a bundle</Trans>
        </Button>
        <Checkbox
          label={t`Include the texts, which may be confidential`}
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
            what={t(KINDS[one.kind])}
            failed={t`The file could not be created`}
            onCancel={() => cancel.mutate(one.id)}
            cancelling={cancel.isPending}
          />
        ))}
      <Made documents={documents.data ?? []} />
    </>
  );
}

function Made({ documents }: { documents: StudyDocument[] }) {
  const { t } = useLingui();
  const made = documents.filter((one) => one.state === "succeeded");
  if (made.length === 0) return null;
  return (
    <Table
      caption={t`Reports and bundles, newest first`}
      rows={made}
      keyOf={(one) => one.id}
      columns={[
        {
          name: t`Document`,
          heads: true,
          cell: (one) => {
            const kind = t(KINDS[one.kind]);
            return one.with_texts ? t`${kind}, with texts` : kind;
          },
        },
        { name: t`Created`, numeric: true, cell: (one) => moment(one.finished_at) },
        { name: t`Size`, numeric: true, cell: (one) => fileSize(one.size) },
        { name: "SHA-256", cell: (one) => <code>{one.sha256.slice(0, 12)}…</code> },
        {
          name: t`File`,
          cell: (one) =>
            one.is_there ? (
              <Download href={`/api/v1/documents/${one.id}/file/`}>
                <Trans>Download</Trans>
              </Download>
            ) : (
              t`Deleted after a few days`
            ),
        },
      ]}
    />
  );
}
