import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "~/api/client";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { counted, moment, readable } from "~/components/words";
import classes from "./System.module.css";

const AGAIN_MS = 15_000;

/** Whether everything works; what does not, and what to do about it. Looks again by itself. */
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
        title="The state of this installation cannot be shown"
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
            ? "Everything works"
            : `${counted(wanting, "part needs", "parts need")} somebody`
        }
        aside={
          <Button variant="default" size="compact-md" onClick={() => void health.refetch()}>
            Check again
          </Button>
        }
      >
        <ul className={classes.parts}>
          {parts.map((part) => (
            <li key={part.name} data-condition={part.condition}>
              <span className={classes.condition}>{CONDITIONS[part.condition]}</span>
              <div>
                <strong>{part.name}.</strong> {part.sentence}
                {part.remedy && <p className="soft">{part.remedy}</p>}
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Jobs that failed in the last 7 days">
        <Table
          caption="Jobs that failed in the last 7 days"
          rows={failures}
          keyOf={(_, index) => index}
          empty="None."
          columns={[
            { name: "When", numeric: true, cell: (one) => moment(one.finished_at) },
            { name: "What", heads: true, cell: (one) => readable(one.kind) },
            { name: "Why", cell: (one) => one.error },
          ]}
        />
      </Section>
      <Section title="Settings and versions">
        <p>
          Settings come from the environment of the server, so they are changed there, not here.
          Rows of the database can be looked at in{" "}
          <a href="/django-admin/">Django’s own admin pages</a>.
        </p>
        <dl className={classes.named}>
          {settings.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Fold title="Versions" rows={versions.length}>
          <Table
            caption="Versions"
            rows={versions}
            keyOf={(one) => one.name}
            columns={[
              { name: "What", heads: true, cell: (one) => one.name },
              { name: "Version", numeric: true, cell: (one) => one.value },
            ]}
          />
        </Fold>
      </Section>
    </>
  );
}

const CONDITIONS = { well: "Works", look: "Look at it", broken: "Does not work" };
