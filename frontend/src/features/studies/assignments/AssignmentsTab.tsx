import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { Table } from "~/components/Table";
import { usePlan } from "../calls";
import { useWorkspaceStudy } from "../workspace/workspace";

/** What the plan gives to each expert. */
export default function AssignmentsTab() {
  const { slug } = useWorkspaceStudy();
  const plan = usePlan(slug);
  return (
    <Section title="Assignments">
      {plan.isPending && <Loading />}
      {plan.error && (
        <ErrorNotice
          title="The assignments cannot be shown"
          error={plan.error}
          onRetry={() => void plan.refetch()}
        />
      )}
      {plan.data && (
        <Table
          caption="What each expert has to do"
          rows={plan.data.experts}
          keyOf={(expert) => expert.number}
          empty="No experts yet."
          columns={[
            { name: "Expert", heads: true, cell: (expert) => `Expert ${expert.number}` },
            { name: "Assigned", numeric: true, cell: (expert) => expert.assigned },
            { name: "Done", numeric: true, cell: (expert) => expert.completed },
          ]}
        />
      )}
    </Section>
  );
}
