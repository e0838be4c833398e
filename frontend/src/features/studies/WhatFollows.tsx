import { useLingui } from "@lingui/react/macro";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Note } from "~/components/Note";
import { type NextState, useNextStates } from "./calls";
import classes from "./StudyPage.module.css";

type Props = { slug: string; to: NextState };

/** Before a study changes its state: what that fixes, what can still be changed, and who is told. */
export function WhatFollows({ slug, to }: Props) {
  const { t } = useLingui();
  const states = useNextStates(slug);
  if (states.error) {
    return (
      <ErrorNotice
        title={t`What happens next could not be loaded`}
        error={states.error}
        onRetry={() => void states.refetch()}
      />
    );
  }
  if (!states.data) return <Loading />;
  const found = states.data.next.find((one) => one.to === to);
  if (!found) return null;
  return (
    <div className={classes.follows}>
      {found.missing && <Note>{found.missing}</Note>}

      <p>{found.means}</p>

      <Sentences title={t`What can no longer be changed`} sentences={found.fixes} />
      <Sentences title={t`What you can still do`} sentences={found.afterwards} />

      <p>{found.told}</p>
    </div>
  );
}

function Sentences({ title, sentences }: { title: string; sentences: string[] }) {
  if (sentences.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>

      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
