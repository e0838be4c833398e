import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StudyEvent } from "~/api/types";
import { AS_STORED } from "~/components/AsStored";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Section } from "~/components/Section";
import { clock, inDigits } from "~/languages/formats";
import { useWorkspaceStudy } from "../workspace/workspace";
import { EVERYTHING, type HistoryFilters, useHistory, useHistorySummary } from "./calls";
import { byDay, detailsOf } from "./days";
import classes from "./History.module.css";

/** The event log: who did what, and when. Nobody can change it. */
export default function HistoryTab() {
  const { t } = useLingui();
  const { slug } = useWorkspaceStudy();
  const [filters, setFilters] = useState(EVERYTHING);
  const [page, setPage] = useState(1);
  const events = useHistory(slug, filters, page);
  const isNarrowed = Object.values(filters).some((value) => value !== "");
  const narrow = (change: Partial<HistoryFilters>) => {
    setFilters({ ...filters, ...change });
    setPage(1);
  };
  return (
    <Section title={t({ message: "History", context: "tab of a study" })}>
      <p>
        <Trans>
          Every important action is recorded here, and entries are never changed.{" "}
          <Download href={`/api/v1/studies/${slug}/events/file/`}>Download all as CSV</Download>
        </Trans>
      </p>
      <Filters slug={slug} filters={filters} onChange={narrow} />
      {events.error && (
        <ErrorNotice
          title={t`The history could not be loaded`}
          error={events.error}
          onRetry={() => void events.refetch()}
        />
      )}
      {events.isPending && <Loading />}
      {events.data?.count === 0 && (
        <p className="soft" role="status">
          {isNarrowed ? t`Nothing matches these filters.` : t`Nothing has happened yet.`}
        </p>
      )}
      {isNarrowed && (
        <p>
          <Button variant="default" onClick={() => narrow(EVERYTHING)}>
            <Trans>Show everything</Trans>
          </Button>
        </p>
      )}
      {events.data && <Days events={events.data.results} />}
      {events.data && (
        <Pager
          page={page}
          isLast={!events.data.next}
          onPage={setPage}
          says={plural(events.data.count, { one: "# entry", other: "# entries" })}
          isByTime
        />
      )}
    </Section>
  );
}

type FiltersProps = {
  slug: string;
  filters: HistoryFilters;
  onChange: (change: Partial<HistoryFilters>) => void;
};

function Filters({ slug, filters, onChange }: FiltersProps) {
  const { t } = useLingui();
  const { data } = useHistorySummary(slug);
  return (
    <div className={classes.filters}>
      <NativeSelect
        label={t`What was done`}
        value={filters.action}
        onChange={(event) => onChange({ action: event.currentTarget.value })}
        data={[
          { value: "", label: t`Everything` },
          ...(data?.acts ?? []).map((one) => ({
            value: one.action,
            label: `${one.title} (${inDigits(one.count)})`,
          })),
        ]}
      />
      <NativeSelect
        label={t`By whom`}
        value={filters.actor}
        onChange={(event) => onChange({ actor: event.currentTarget.value })}
        data={[
          { value: "", label: t`Everyone` },
          ...(data?.people ?? [])
            .filter((one) => one.actor)
            .map((one) => ({
              value: one.actor,
              label: `${one.person} (${inDigits(one.count)})`,
            })),
        ]}
      />
      <TextInput
        type="date"
        label={t({ message: "From", context: "date" })}
        value={filters.from}
        max={filters.to || undefined}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t({ message: "Up to", context: "date" })}
        value={filters.to}
        min={filters.from || undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    </div>
  );
}

function Days({ events }: { events: readonly StudyEvent[] }) {
  return (
    <div className={classes.days}>
      {byDay(events).map(({ day, events }) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          <ul className={classes.events}>
            {events.map((event) => (
              <li key={event.id} className={classes.event}>
                <time dateTime={event.at} className="soft small">
                  {clock(new Date(event.at))}
                </time>
                <div>
                  <span>{event.sentence}</span>
                  <Details details={event.details} />
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Details({ details }: { details: unknown }) {
  const pairs = detailsOf(details);
  if (pairs.length === 0) return null;
  return (
    <details className={classes.details}>
      <summary>
        <Trans>Details</Trans>
      </summary>
      <dl {...AS_STORED}>
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
