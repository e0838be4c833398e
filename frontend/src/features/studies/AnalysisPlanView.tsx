import { t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "react-router";
import { useAnalysisPlan, usePlanInWords, useSetAnalysisPlan } from "~/api/analysisPlan";
import type { AnalysisPlan } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { Facts, Section } from "~/components/Section";
import { readable } from "~/components/words";
import { inDigits, listed, moment } from "~/languages/formats";
import classes from "./AnalysisPlan.module.css";

type Props = {
  slug: string;
  /** Set if the surrounding page already has that heading. */
  title?: string;
};

/** What the study will compute, in sentences, stated before there are answers; fixed when it opens. */
export function AnalysisPlanView({ slug, title: given }: Props) {
  const { t } = useLingui();
  const title = given ?? t`Analysis plan`;
  const plan = useAnalysisPlan(slug);
  const words = usePlanInWords(slug);
  const set = useSetAnalysisPlan(slug);
  const error = plan.error ?? words.error;
  if (error) {
    return (
      <Section title={title}>
        <ErrorNotice
          title={t`The analysis plan could not be loaded`}
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
      aside={
        can_change && (
          <Link to={`/studies/${slug}/results`}>
            <Trans>Choose analyses to plan</Trans>
          </Link>
        )
      }
    >
      <p className="soft">
        <Stamp plan={plan.data} />
      </p>
      {planned.length > 0 && (
        <section aria-label={t`Planned analyses`}>
          <ol className={classes.planned}>
            {planned.map((row, place) => {
              const said = words.data.planned[place];
              const code = readable(row.analysis);
              const name = said?.title ?? code;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: one analysis may be planned twice, and order is all they have
                <li key={place}>
                  <h3>{name}</h3>
                  {said?.sentences.map((sentence) => (
                    <p key={sentence}>{sentence}</p>
                  ))}
                  {row.note && (
                    <p className="soft" dir="auto">
                      {row.note}
                    </p>
                  )}
                  <details>
                    <summary>
                      <Trans>
                        <bdi>{code}</bdi>: parameters and seed
                      </Trans>
                    </summary>
                    <Facts
                      facts={[
                        ...Object.entries(row.parameters ?? {}).map(
                          ([name, value]): [string, string] => [readable(name), inWords(value)],
                        ),
                        [t`Seed`, String(row.seed)],
                      ]}
                    />
                  </details>
                  {can_change && (
                    <button
                      type="button"
                      className="linklike"
                      disabled={set.isPending}
                      aria-label={t`Remove “${name}”`}
                      onClick={() => remove(place)}
                    >
                      <Trans>Remove</Trans>
                    </button>
                  )}
                </li>
              );
            })}
          </ol>
        </section>
      )}
      {set.error && <ErrorNotice title={t`The plan was not changed`} error={set.error} />}
    </Section>
  );
}

/** Whether the plan can still be changed or, if not, since when. */
function Stamp({ plan: { planned, can_change, sha256, stamped_at } }: { plan: AnalysisPlan }) {
  if (sha256) {
    const opened = moment(stamped_at);
    return (
      <Trans>
        Fixed when the study opened ({opened}). SHA-256: <Fingerprint sha256={sha256} />
      </Trans>
    );
  }
  if (!can_change) {
    return (
      <Trans>
        No analyses were planned before the study opened, so all of them are exploratory.
      </Trans>
    );
  }
  return planned.length === 0 ? (
    <Trans>
      Nothing is planned yet. Analyses that you plan before the study opens are fixed at that point;
      all others are exploratory.
    </Trans>
  ) : (
    <Trans>
      You can change the plan until the study opens. Then it is fixed, and all other analyses are
      exploratory.
    </Trans>
  );
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? listed(value.map(String)) : say`default`;
  if (typeof value === "boolean") return value ? say`yes` : say`no`;
  if (typeof value === "number") return inDigits(value, { maximumFractionDigits: 6 });
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
