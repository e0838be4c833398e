import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { Training } from "~/api/types";
import { Fingerprint } from "~/components/Fingerprint";
import folds from "~/components/Folds.module.css";
import { Facts } from "~/components/Section";
import { moment, readable } from "~/components/words";
import classes from "./Trainings.module.css";
import { splitInWords, valueInWords } from "./words";

/** Everything that is needed to repeat it, and what it has made. */
export function HowTrained({ training }: { training: Training }) {
  const { parameters, titles, split, seed, standing } = training;
  return (
    <>
      {standing.systems.length > 0 && (
        <details className={folds.fold}>
          <summary>
            <Trans>The systems that it made</Trans>
          </summary>
          <ul className={classes.systems}>
            {standing.systems.map((name) => (
              <li key={name}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
      <details className={folds.fold}>
        <summary>
          <Trans>Settings, seed and split, to repeat it</Trans>
        </summary>
        <Facts
          facts={[
            [t`Prepared`, moment(training.created_at)],
            [t`Started`, moment(training.started_at) || t`not yet`],
            [t`Ended`, moment(training.finished_at) || t`not yet`],
            [t`Seed`, <bdi key="seed">{seed}</bdi>],
            ...Object.entries(parameters)
              .filter(([name]) => !ELSEWHERE.has(name))
              .map(
                ([name, value]) =>
                  [titles[name] ?? readable(name), valueInWords(value)] as [string, string],
              ),
          ]}
        />
        <Facts
          facts={[
            [titles.methods ?? t`Methods`, valueInWords(training.methods)],
            [titles.split ?? t`Split`, splitInWords(split.kind, split.folds)],
            ...(split.twins > 0
              ? [
                  [
                    t`Left out of the split`,
                    plural(split.twins, {
                      one: "# text, because it is a copy of one in another part",
                      other: "# texts, because they are copies of some in another part",
                    }),
                  ] as [string, string],
                ]
              : []),
            [
              t`Fingerprint of the split (SHA-256)`,
              <Fingerprint key="split" sha256={split.fingerprint} />,
            ],
          ]}
          wide
        />
      </details>
    </>
  );
}

/** What is told in other words. */
const ELSEWHERE = new Set(["methods", "split", "folds"]);
