import { Link } from "react-router";
import { useAnalysisPlan, usePlanInWords, useSetAnalysisPlan } from "~/api/analysisPlan";
import type { AnalysisPlan } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { Facts, Section } from "~/components/Section";
import { moment, readable } from "~/components/words";
import classes from "./AnalysisPlan.module.css";

type Props = {
  slug: string;
  /** Where the page around it has that heading already. */
  title?: string;
};

/** What the study will compute, in sentences, said before there are answers; fixed when it opens. */
export function AnalysisPlanView({ slug, title = "Analysis plan" }: Props) {
  const plan = useAnalysisPlan(slug);
  const words = usePlanInWords(slug);
  const set = useSetAnalysisPlan(slug);
  const error = plan.error ?? words.error;
  if (error) {
    return (
      <Section title={title}>
        <ErrorNotice
          title="The analysis plan cannot be shown"
          error={error}
          onRetry={() => {
            void plan.refetch();
            void words.refetch();
          }}
        />
      </Section>
    );
  }
  if (!plan.data || !words.data) return null;
  const { planned, can_change } = plan.data;
  const remove = (place: number) => set.mutate(planned.filter((_, other) => other !== place));
  return (
    <Section
      title={title}
      aside={can_change && <Link to={`/studies/${slug}/results`}>Choose analyses to plan</Link>}
    >
      <p className="soft">{stampInWords(plan.data)}</p>
      {planned.length > 0 && (
        <section aria-label="Planned analyses">
          <ol className={classes.planned}>
            {planned.map((row, place) => {
              const said = words.data.planned[place];
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: one analysis may be planned twice, and order is all they have
                <li key={place}>
                  <h3>{said?.title ?? readable(row.analysis)}</h3>
                  {said?.sentences.map((sentence) => (
                    <p key={sentence}>{sentence}</p>
                  ))}
                  {row.note && <p className="soft">{row.note}</p>}
                  <details>
                    <summary>{readable(row.analysis)}: parameters and seed</summary>
                    <Facts
                      facts={[
                        ...Object.entries(row.parameters ?? {}).map(
                          ([name, value]): [string, string] => [readable(name), inWords(value)],
                        ),
                        ["Seed", String(row.seed)],
                      ]}
                    />
                  </details>
                  {can_change && (
                    <button
                      type="button"
                      className="linklike"
                      disabled={set.isPending}
                      aria-label={`Remove “${said?.title ?? readable(row.analysis)}”`}
                      onClick={() => remove(place)}
                    >
                      Remove
                    </button>
                  )}
                </li>
              );
            })}
          </ol>
        </section>
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

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "as usual";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
