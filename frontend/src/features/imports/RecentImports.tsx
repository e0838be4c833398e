import type { ImportJob } from "~/api/types";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { Table } from "~/components/Table";
import { moment } from "~/components/words";
import { useImports } from "./calls";

/** What was imported, or tried, lately. */
export function RecentImports() {
  const imports = useImports();
  if (!imports.data || imports.data.length === 0) return null;
  return (
    <Section title="Recent imports">
      <Table
        caption="Recent imports"
        rows={imports.data}
        keyOf={(job) => job.id}
        columns={[
          { name: "When", heads: true, cell: (job) => moment(job.created_at) },
          { name: "Dataset", cell: (job) => job.dataset },
          { name: "What", cell: (job) => whatInWords(job) },
          { name: "State", cell: (job) => <State state={job.state} /> },
          { name: "Problems", numeric: true, cell: (job) => job.report?.problem_count ?? "" },
        ]}
      />
    </Section>
  );
}

function whatInWords({ kind, dry_run }: ImportJob): string {
  const what = kind === "dataset" ? "a dataset" : "predictions";
  return `${dry_run ? "Check" : "Import"} of ${what}`;
}
