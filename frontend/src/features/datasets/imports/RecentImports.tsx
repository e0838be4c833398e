import { t } from "@lingui/core/macro";
import { Link } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { moment } from "~/components/words";
import { useImports } from "./calls";
import { whatInWords } from "./verdict";

/** Recent imports and attempts. */
export function RecentImports() {
  const imports = useImports();
  if (imports.error) {
    return (
      <ErrorNotice
        title={t`The recent imports could not be loaded`}
        error={imports.error}
        onRetry={() => void imports.refetch()}
      />
    );
  }
  if (!imports.data || imports.data.length === 0) return null;
  return (
    <Section title={t`Recent imports`}>
      <Table
        caption={t`Recent imports`}
        rows={imports.data}
        keyOf={(job) => job.id}
        columns={[
          {
            name: t`When`,
            heads: true,
            cell: (job) => <Link to={`/imports/${job.id}`}>{moment(job.created_at)}</Link>,
          },
          {
            name: t`Dataset`,
            cell: (job) =>
              job.made ? <Link to={`/datasets/${job.made}`}>{job.dataset}</Link> : job.dataset,
          },
          { name: t`What`, cell: (job) => whatInWords(job) },
          {
            name: t`State`,
            cell: (job) => (job.undone_at ? t`Undone` : <State state={job.state} />),
          },
          { name: t`Problems`, numeric: true, cell: (job) => job.report?.problem_count ?? "" },
        ]}
      />
    </Section>
  );
}
