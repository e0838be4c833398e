import { Link } from "react-router";
import { useAnalysisPlan, useSetAnalysisPlan } from "~/api/analysisPlan";
import type { AnalysisPlan } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { Section } from "~/components/Section";
import { Table } from "~/components/Table";
import { moment, readable } from "~/components/words";

/** What the study will compute, said before there are answers; fixed when it opens. */
export function AnalysisPlanView({ slug }: { slug: string }) {
  const plan = useAnalysisPlan(slug);
  const set = useSetAnalysisPlan(slug);
  if (plan.error) {
    return (
      <Section title="Analysis plan">
        <ErrorNotice
          title="The analysis plan cannot be shown"
          error={plan.error}
          onRetry={() => void plan.refetch()}
        />
      </Section>
    );
  }
  if (!plan.data) return null;
  const { planned, can_change } = plan.data;
  const remove = (place: number) => set.mutate(planned.filter((_, other) => other !== place));
  return (
    <Section
      title="Analysis plan"
      aside={can_change && <Link to={`/studies/${slug}/results`}>Choose analyses to plan</Link>}
    >
      <p className="soft">{stampInWords(plan.data)}</p>
      {planned.length > 0 && (
        <Table
          caption="Planned analyses"
          rows={planned}
          keyOf={(_, place) => place}
          columns={[
            { name: "Analysis", heads: true, cell: (row) => readable(row.analysis) },
            { name: "Parameters", cell: (row) => parametersInWords(row.parameters) },
            { name: "Seed", numeric: true, cell: (row) => row.seed },
            { name: "Note", cell: (row) => row.note },
            ...(can_change
              ? [
                  {
                    name: "Change",
                    cell: (_: unknown, place: number) => (
                      <button
                        type="button"
                        className="linklike"
                        disabled={set.isPending}
                        onClick={() => remove(place)}
                      >
                        Remove
                      </button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {set.error && <ErrorNotice title="The plan was not changed" error={set.error} />}
    </Section>
  );
}

function stampInWords({ planned, can_change, sha256, stamped_at }: AnalysisPlan) {
  if (sha256) {
    return (
      <>
        Fixed when the study opened, {moment(stamped_at)}. SHA-256 <Fingerprint sha256={sha256} />
      </>
    );
  }
  if (!can_change) return "No analysis was planned before the study opened: all are exploratory.";
  return planned.length === 0
    ? "Nothing is planned yet. What is planned when the study opens is fixed then; all else is exploratory."
    : "Can be changed until the study opens. It is fixed then, and all else is exploratory.";
}

function parametersInWords(parameters: Record<string, unknown> | undefined): string {
  return Object.entries(parameters ?? {})
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}
