import { plural, t } from "@lingui/core/macro";
import type { Training } from "~/api/types";
import { timeLeft } from "~/components/JobProgress";
import { Table } from "~/components/lists/Table";
import { Progress } from "~/components/Progress";
import { Section } from "~/components/Section";
import { inARow, percent } from "~/languages/formats";
import classes from "./Trainings.module.css";
import { underWayInWords } from "./words";

/** How far it is: over all, and for each method. */
export function Standing({ training }: { training: Training }) {
  const { standing, state } = training;
  const { done, total, methods, under_way } = standing;
  const left = state === "training" ? timeLeft(standing.seconds_left) : "";
  const share = percent(total > 0 ? Math.floor((100 * done) / total) / 100 : 0);
  return (
    <Section title={t`Progress`}>
      <Progress label={t`The training`} done={done} total={total} text={inARow([share, left])} />
      {state === "training" && (
        <div>
          <p className="soft small">{t`Under way`}</p>
          <ul className={classes.underWay}>
            {under_way.map((one) => (
              <li key={`${one.method} ${one.run} ${one.fold}`}>{underWayInWords(one, training)}</li>
            ))}
            {under_way.length === 0 && (
              <li>{standing.waits_for?.sentence ?? t`Waiting for a worker`}</li>
            )}
          </ul>
        </div>
      )}
      <Table
        caption={t`Progress of each method`}
        rows={methods}
        keyOf={({ method }) => method}
        columns={[
          {
            name: t`Method`,
            heads: true,
            cell: ({ method, title }) => (
              <>
                <bdi>{method}</bdi> <span className={`soft ${classes.title}`}>{title}</span>
              </>
            ),
          },
          {
            name: t`Models trained`,
            cell: ({ method, done, total }) => (
              <Progress label={method} done={done} total={total} />
            ),
          },
          ...(methods.some(({ failed }) => failed > 0)
            ? [
                {
                  name: t`Failed`,
                  cell: ({ failed }: { failed: number }) =>
                    failed > 0 && plural(failed, { one: "# model", other: "# models" }),
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}
