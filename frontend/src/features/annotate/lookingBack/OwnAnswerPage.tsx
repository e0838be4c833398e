import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link, useParams } from "react-router";
import type { LookedBack } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { SchemeToggle } from "~/components/SchemeToggle";
import { wordsDirection } from "~/languages/bidi";
import { useLanguageOf } from "~/languages/LanguageProvider";
import { ExpertFrame } from "../frame/ExpertFrame";
import frame from "../frame/ExpertFrame.module.css";
import { useHeaderHeight } from "../frame/useHeaderHeight";
import { Chart } from "../preferenceStep/Chart";
import step2 from "../preferenceStep/PreferenceStep.module.css";
import { fromAnswered, preferenceInWords } from "../preferenceStep/preference";
import steps from "../step/Step.module.css";
import { TextAside } from "../step/TextAside";
import { useOwnAnswer } from "./calls";
import classes from "./LookingBack.module.css";
import { dayAndTime } from "./times";

/** One of the expert's own answers, with its text and chart as they were shown. */
export default function OwnAnswerPage() {
  const { t } = useLingui();
  const { slug = "", token = "" } = useParams();
  const found = useOwnAnswer(token);
  const study = found.data?.study;
  const inItsLanguage = useLanguageOf(study?.language, study?.direction);
  if (found.error) {
    return (
      <Page
        title={t`My answers`}
        parents={[{ to: `/studies/${slug}/answers`, label: t`Back to my answers` }]}
      >
        <ErrorNotice
          title={t`Your answer cannot be shown`}
          error={found.error}
          onRetry={() => void found.refetch()}
        />
      </Page>
    );
  }
  if (!found.data || !inItsLanguage) return <Loading />;
  return <Answer found={found.data} />;
}

function Answer({ found }: { found: LookedBack }) {
  const { t } = useLingui();
  const { study, assignment, number } = found;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  const mine = study.labels.filter((label) => assignment.selected?.includes(label.position));
  const answered = assignment.answered && fromAnswered(assignment.answered);
  const chosen = (["a", "b"] as const).filter(
    (side) => answered?.answer === side || answered?.answer === "both",
  );
  return (
    <ExpertFrame
      study={study}
      frame={{ header: <Header found={found} /> }}
      title={t`Text ${number}, my answer`}
      isFixed
      message={null}
      action={
        <Button
          component={Link}
          to={`/studies/${study.slug}/answers`}
          variant="default"
          className={steps.go}
        >
          <Trans>Back to my answers</Trans>
        </Button>
      }
    >
      <div className={steps.beside}>
        <TextAside assignment={assignment} mine={mine} language={study.language} />
        <div className={step2.work}>
          <h1 ref={heading} tabIndex={-1} lang={study.language} dir="auto">
            {study.question_preference}
          </h1>
          {assignment.comparison && (
            <Chart study={study} comparison={assignment.comparison} chosen={chosen} />
          )}
          {answered && (
            <p className={classes.answer}>
              <span className="soft">
                <Trans>Your answer</Trans>
              </span>{" "}
              <strong>{preferenceInWords(answered)}</strong>
            </p>
          )}
        </div>
      </div>
    </ExpertFrame>
  );
}

function Header({ found: { study, number, answered_at } }: { found: LookedBack }) {
  const { t } = useLingui();
  const header = useHeaderHeight();
  const time = dayAndTime(answered_at);
  return (
    <header ref={header} className={frame.header}>
      <Link
        to={`/studies/${study.slug}/annotate`}
        className={frame.title}
        dir="auto"
        title={t`Back to the study`}
      >
        {study.title}
      </Link>
      <span className={frame.progress}>
        <bdi dir={wordsDirection()}>{t`Text ${number}, answered ${time}`}</bdi>
      </span>
      <div className={frame.tools}>
        <SchemeToggle className={frame.tool} />
      </div>
    </header>
  );
}
