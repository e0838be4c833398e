import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Retained, Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { moment } from "~/languages/formats";
import classes from "./Members.module.css";
import { useChangeRetention, useRetention } from "./members";

const MONTHS = [1, 3, 6, 12, 24, 36, 60, 120];
const SERVER = "server";

/** How long after closing the study keeps the names of its experts; its admins may change it at any time. */
export function Retention({ study }: { study: Study }) {
  const { t } = useLingui();
  const retention = useRetention(study.slug);
  return (
    <Section title={t`How long names are kept`}>
      {retention.isPending && <Loading />}
      {retention.error && (
        <ErrorNotice error={retention.error} onRetry={() => void retention.refetch()} />
      )}
      {retention.data && (
        <>
          <p>{inWords(retention.data)}</p>
          {study.role === "admin" && <Change slug={study.slug} kept={retention.data} />}
        </>
      )}
    </Section>
  );

  function inWords(kept: Retained): string {
    const months = kept.identities_kept_months ?? kept.server_months;
    if (months === 0)
      return t`The names and addresses of the experts are kept until an admin of the server erases them.`;
    const at = moment(kept.identities_go_at);
    if (at)
      return t`The names and addresses of the experts are erased after ${at}. The history says so 14 days before. Answers stay under numbers.`;
    return plural(months, {
      one: "The names and addresses of the experts are erased # month after the study is closed. Answers stay under numbers.",
      other:
        "The names and addresses of the experts are erased # months after the study is closed. Answers stay under numbers.",
    });
  }
}

function Change({ slug, kept }: { slug: string; kept: Retained }) {
  const { t } = useLingui();
  const change = useChangeRetention(slug);
  const before = kept.identities_kept_months === null ? SERVER : `${kept.identities_kept_months}`;
  const [chosen, setChosen] = useState(before);
  const months = [...new Set([...MONTHS, kept.identities_kept_months ?? 0])].filter(Boolean);
  const inMonths = (number: number) => plural(number, { one: "# month", other: "# months" });
  const ofServer =
    kept.server_months === 0 ? t`until they are erased` : inMonths(kept.server_months);
  return (
    <>
      {change.error && <ErrorNotice title={t`Nothing was changed`} error={change.error} />}
      <div className={classes.retention}>
        <NativeSelect
          className={classes.months}
          label={t`After closing, keep the names for`}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={[
            { value: SERVER, label: t`As long as this server says: ${ofServer}` },
            { value: "0", label: t`Until they are erased` },
            ...months
              .sort((a, b) => a - b)
              .map((number) => ({ value: `${number}`, label: inMonths(number) })),
          ]}
        />
        <Button
          variant="default"
          disabled={chosen === before || change.isPending}
          onClick={() => change.mutate(chosen === SERVER ? null : Number(chosen))}
        >
          <Trans>Save</Trans>
        </Button>
        <span role="status" className="soft small">
          {change.isSuccess && chosen === before && t`Saved`}
        </span>
      </div>
    </>
  );
}
