import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link, useParams } from "react-router";
import type { OwnAnswer } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { fromAnswered, preferenceInWords } from "../preferenceStep/preference";
import { useOwnAnswers } from "./calls";
import classes from "./LookingBack.module.css";
import { dayAndTime } from "./times";

/** The expert's own answers in a study, read-only, newest first. */
export default function OwnAnswersPage() {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const answers = useOwnAnswers(slug);
  const rows = answers.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <Page
      title={t`My answers`}
      parents={[{ to: `/studies/${slug}/annotate`, label: t`Back to the study` }]}
    >
      <p>
        <Trans>You can look at what you answered. Nothing can be changed here.</Trans>
      </p>
      {answers.error && (
        <ErrorNotice
          title={t`Your answers cannot be shown`}
          error={answers.error}
          onRetry={() => void answers.refetch()}
        />
      )}
      {answers.isPending && <Loading />}
      {answers.data && rows.length === 0 && (
        <p>
          <Trans>You have not answered anything yet.</Trans>
        </p>
      )}
      {rows.length > 0 && (
        <ul className={classes.answers}>
          {rows.map((answer) => (
            <Row key={answer.token} slug={slug} answer={answer} />
          ))}
        </ul>
      )}
      {answers.hasNextPage && (
        <Button
          variant="default"
          onClick={() => void answers.fetchNextPage()}
          disabled={answers.isFetchingNextPage}
        >
          <Trans>Show earlier answers</Trans>
        </Button>
      )}
    </Page>
  );
}

function Row({ slug, answer }: { slug: string; answer: OwnAnswer }) {
  const { number, labels, language, direction } = answer;
  return (
    <li className={classes.row}>
      <Link to={`/studies/${slug}/answers/${answer.token}`} className={classes.beginning}>
        <span className={classes.number}>{number}</span>{" "}
        <span lang={language} dir={direction}>
          {answer.beginning}
        </span>
      </Link>
      <p className={classes.said}>
        <span className={classes.labels}>
          {labels.length === 0 ? (
            <Trans>Nothing</Trans>
          ) : (
            labels.map((label) => (
              <bdi key={label} className={classes.label}>
                {label}
              </bdi>
            ))
          )}
        </span>
        <span>{preferenceInWords(fromAnswered(answer))}</span>
        <time dateTime={answer.answered_at} className="soft">
          {dayAndTime(answer.answered_at)}
        </time>
      </p>
    </li>
  );
}
