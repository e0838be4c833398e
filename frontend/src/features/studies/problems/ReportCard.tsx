import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Report } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { moment } from "~/languages/formats";
import { DecisionDialog } from "./DecisionDialog";
import classes from "./ProblemsTab.module.css";
import { useReportedText, type Verdict } from "./reports";

const REASONS: Record<Report["reason"], MessageDescriptor> = {
  unreadable: msg`The text cannot be read or understood`,
  distressing: msg`The text is distressing`,
  identifies_person: msg`The text identifies a real person`,
  other: msg`Something else`,
};

const STATES: Record<Report["state"], MessageDescriptor> = {
  open: msg({ message: "Open", context: "state of a report" }),
  confirmed: msg`Confirmed: the text is withdrawn`,
  dismissed: msg`Dismissed: the text stays`,
  shown_again: msg`Restored`,
};

/** What an admin may do next, depending on the last decision. */
const NEXT: Record<Report["state"], Verdict[]> = {
  open: ["confirmed", "dismissed"],
  confirmed: ["shown_again"],
  dismissed: ["confirmed"],
  shown_again: ["confirmed"],
};

const ACTS: Record<Verdict, MessageDescriptor> = {
  confirmed: msg`Withdraw the text`,
  dismissed: msg`Dismiss`,
  shown_again: msg`Restore the text`,
};

type Props = { slug: string; report: Report; isAdmin: boolean };

/** One report: what, about which text, by whom, and its outcome. */
export function ReportCard({ slug, report, isAdmin }: Props) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<Verdict | null>(null);
  const name = `report-${report.id}`;
  const { expert, instance } = report;
  const [at, decided] = [moment(report.at), moment(report.decided_at)];
  return (
    <article className={classes.report} aria-labelledby={name}>
      <div className={classes.head}>
        <h3 id={name}>{t(REASONS[report.reason])}</h3>
        <span className={classes.state} data-open={report.state === "open" || undefined}>
          {t(STATES[report.state])}
        </span>
      </div>
      <p className="soft small">
        <Trans>
          Expert {expert} about text <code>{instance}</code>, {at}.
        </Trans>{" "}
        {report.skipped && <Trans>The expert skipped it.</Trans>}{" "}
        {report.withdrawn && report.state !== "confirmed" && <Trans>The text is withdrawn.</Trans>}
      </p>
      {report.remark === null ? (
        <p className="soft">
          <Trans>Only admins can read what the expert wrote.</Trans>
        </p>
      ) : (
        report.remark !== "" && <blockquote dir="auto">{report.remark}</blockquote>
      )}
      {report.decided_at && (
        <p className="small">
          {decided}
          {report.decided_by && (
            <>
              {" · "}
              <bdi>{report.decided_by}</bdi>
            </>
          )}
          {report.note && (
            <>
              {" · "}
              <bdi>{report.note}</bdi>
            </>
          )}
        </p>
      )}
      <ReportedText slug={slug} report={report} />
      {isAdmin && (
        <div className={classes.buttons}>
          {NEXT[report.state].map((verdict) => (
            <Button key={verdict} variant="default" onClick={() => setAsked(verdict)}>
              {t(ACTS[verdict])}
            </Button>
          ))}
        </div>
      )}
      <DecisionDialog
        slug={slug}
        report={report}
        verdict={asked}
        title={asked ? t(ACTS[asked]) : ""}
        onClose={() => setAsked(null)}
      />
    </article>
  );
}

/** The text itself is shown only on request, so that nobody has to read distressing texts in the list. */
function ReportedText({ slug, report }: { slug: string; report: Report }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const text = useReportedText(slug, report.id, isOpen);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className={classes.text}>
      <summary>
        <Trans>Read the text</Trans>
      </summary>
      {text.error && <ErrorNotice title={t`The text could not be loaded`} error={text.error} />}
      {text.data?.segments === null && (
        <p className="soft">
          <Trans>This text was withdrawn. Admins can read it.</Trans>
        </p>
      )}
      <div lang={text.data?.language} dir={text.data?.direction}>
        {text.data?.segments?.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of one text never change places
          <div key={index}>
            {segment.name && <h4>{segment.name}</h4>}
            <p className={classes.words}>{segment.text}</p>
          </div>
        ))}
      </div>
    </details>
  );
}
