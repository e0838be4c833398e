import { i18n } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { moment, readable } from "~/components/words";
import classes from "./System.module.css";

const AGAIN_MS = 15_000;

/** Whether everything works; what does not, and what to do about it. Refreshes by itself. */
export default function HealthTab() {
  const health = useQuery({
    queryKey: ["system", "health"],
    queryFn: () => ok(api.GET("/api/v1/system/health/")),
    refetchInterval: AGAIN_MS,
  });
  if (health.isPending) return <Loading />;
  if (health.error) {
    return (
      <ErrorNotice
        title={t`The state of this server could not be loaded`}
        error={health.error}
        onRetry={() => void health.refetch()}
      />
    );
  }
  const { parts, versions, settings, failures } = health.data;
  const wanting = parts.filter((part) => part.condition !== "well").length;
  return (
    <>
      <Section
        title={
          wanting === 0
            ? t`Everything works`
            : plural(wanting, { one: "# part needs attention", other: "# parts need attention" })
        }
        aside={
          <Button variant="default" size="compact-md" onClick={() => void health.refetch()}>
            <Trans>Check again</Trans>
          </Button>
        }
      >
        <ul className={classes.parts}>
          {parts.map((part) => (
            <li key={part.name} data-condition={part.condition}>
              <span className={classes.condition}>{i18n._(CONDITIONS[part.condition])}</span>
              <div>
                <strong>{part.name}.</strong> {part.sentence}
                {part.remedy && <p className="soft">{part.remedy}</p>}
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={t`Jobs that failed in the last 7 days`}>
        <Table
          caption={t`Jobs that failed in the last 7 days`}
          rows={failures}
          keyOf={(_, index) => index}
          empty={t`None.`}
          columns={[
            { name: t`When`, numeric: true, cell: (one) => moment(one.finished_at) },
            { name: t`What`, heads: true, cell: (one) => readable(one.kind) },
            { name: t`Why`, cell: (one) => one.error },
          ]}
        />
      </Section>
      <Section title={t`Settings and versions`}>
        <p>
          <Trans>
            Settings come from the server’s environment and can only be changed there. You can
            browse the database in <a href="/django-admin/">Django’s admin pages</a>.
          </Trans>
        </p>
        <dl className={classes.named}>
          {settings.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Fold title={t`Versions`} rows={versions.length}>
          <Table
            caption={t`Versions`}
            rows={versions}
            keyOf={(one) => one.name}
            columns={[
              { name: t`What`, heads: true, cell: (one) => one.name },
              { name: t`Version`, numeric: true, cell: (one) => one.value },
            ]}
          />
        </Fold>
      </Section>
    </>
  );
}

const CONDITIONS = { well: msg`Works`, look: msg`Check`, broken: msg`Does not work` };
