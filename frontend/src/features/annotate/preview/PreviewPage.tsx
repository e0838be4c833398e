import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import type { Task } from "~/api/types";
import { Consent } from "~/components/Consent";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { SkipLink } from "~/components/SkipLink";
import { useLanguageOf } from "~/languages/LanguageProvider";
import { useOutbox } from "~/outbox/OutboxProvider";
import { type AnswerDesk, Steps } from "../answering/Steps";
import column from "../frame/Column.module.css";
import { ExpertHeader } from "../frame/ExpertFrame";
import { type Ways, WaysContext } from "../frame/ways";
import { Practice } from "../practice/Practice";
import { Welcome } from "../welcome/Welcome";
import { usePreview, usePreviewStep2 } from "./calls";
import classes from "./Preview.module.css";

/** A study as its experts will see it: their own pages with real texts, and answers that go nowhere. */
export default function PreviewPage() {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const preview = usePreview(slug);
  const first = preview.data?.tasks[0];
  const spoken = useLanguageOf(first?.study.language, first?.study.direction);
  const ways = useMemo<Ways>(
    () => ({
      home: { to: `/studies/${slug}/design`, title: t`Back to the design` },
      practice: () => `/studies/${slug}/preview/practice`,
      above: <Above slug={slug} />,
      reported: (
        <Trans>This is a preview. No report is sent, and nobody sees what you wrote.</Trans>
      ),
    }),
    [slug, t],
  );
  if (preview.error) {
    return (
      <Nothing slug={slug}>
        <ErrorNotice
          title={t`There is nothing to preview yet`}
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      </Nothing>
    );
  }
  if (!preview.data || !spoken) return <Loading />;
  if (!first) {
    return (
      <Nothing slug={slug}>
        <p>
          <Trans>All texts of this study are withdrawn, or their systems are paused.</Trans>
        </p>
      </Nothing>
    );
  }
  return (
    <WaysContext value={ways}>
      <Tried
        // The settings changed meanwhile, so start from the beginning.
        key={preview.dataUpdatedAt}
        slug={slug}
        tasks={preview.data.tasks}
        consent={preview.data.consent_html}
      />
    </WaysContext>
  );
}

/** Says on every page that this is a preview, in the study's language like the rest of the page. */
function Above({ slug }: { slug: string }) {
  return (
    <div className={classes.above}>
      <strong>
        <Trans>Preview: nothing is saved</Trans>
      </strong>
      <Link to={`/studies/${slug}/design`}>
        <Trans>Back to the design</Trans>
      </Link>
    </div>
  );
}

function Nothing({ slug, children }: { slug: string; children: ReactNode }) {
  const { t } = useLingui();
  return (
    <Page
      title={t`Preview`}
      parents={[{ to: `/studies/${slug}/design`, label: t`Back to the design` }]}
    >
      {children}
    </Page>
  );
}

type Stage = "consent" | "welcome" | "texts" | "over";
type TriedProps = { slug: string; tasks: Task[]; consent: string };

/** Consent, welcome, practice, then the texts one after another, as an expert goes through them. */
function Tried({ slug, tasks, consent }: TriedProps) {
  const { t } = useLingui();
  const { part } = useParams();
  const navigate = useNavigate();
  const { owner } = useOutbox();
  const step2 = usePreviewStep2(slug);
  const [stage, setStage] = useState<Stage>("consent");
  const [place, setPlace] = useState(0);
  const [compared, setCompared] = useState<Task | null>(null);
  const task = compared ?? tasks[place];
  if (!task?.assignment) return <Loading />;

  function goOn() {
    setCompared(null);
    if (place + 1 < tasks.length) setPlace(place + 1);
    else setStage("over");
  }

  const desk: AnswerDesk = {
    owner,
    // In a preview nothing gets a draft.
    isGiven: () => true,
    give: async ({ kind, body }) => {
      if (kind === "labels") {
        const labels = body.labels as number[];
        step2.mutate({ number: place + 1, labels }, { onSuccess: setCompared });
      } else if (kind === "preference" || body.skip) goOn();
      return { id: "preview" };
    },
  };

  if (part === "practice") {
    const leave = () => {
      setStage("texts");
      void navigate(`/studies/${slug}/preview`, { replace: true });
    };
    return <Practice task={task} onLeave={leave} />;
  }
  if (stage === "consent") {
    return <Agreement task={task} consent={consent} onAgreed={() => setStage("welcome")} />;
  }
  if (stage === "welcome") return <Welcome task={task} onBegin={() => setStage("texts")} />;
  if (stage === "over") {
    return (
      <Over
        slug={slug}
        task={task}
        texts={tasks.length}
        onAgain={() => {
          setPlace(0);
          setStage("texts");
        }}
      />
    );
  }
  return (
    <Steps
      key={`${task.assignment.token}-${task.assignment.step}`}
      desk={desk}
      slug={slug}
      task={task}
      assignment={task.assignment}
      number={place + 1}
      isBusy={step2.isPending}
      header={<ExpertHeader task={task} />}
      banner={
        step2.error && (
          <ErrorNotice title={t`The second step could not be loaded`} error={step2.error} />
        )
      }
      links={null}
    />
  );
}

type AgreementProps = { task: Task; consent: string; onAgreed: () => void };

/** What experts agree to when they accept their invitation. */
function Agreement({ task, consent, onAgreed }: AgreementProps) {
  const { t } = useLingui();
  const [agreed, setAgreed] = useState(false);
  const [asked, setAsked] = useState(false);
  const { title, language, direction } = task.study;
  useDocumentTitle(`Preview · ${title}`);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={{ ...task, assignment: null }} />
      <main id="main" className={column.main} tabIndex={-1}>
        <h1>{t`Welcome to the study`}</h1>
        <Consent
          html={consent}
          language={language}
          direction={direction}
          hasAgreed={agreed}
          onAgree={setAgreed}
          isMissing={asked && !agreed}
        />
        <div className={column.buttons}>
          <Button
            onClick={() => {
              setAsked(true);
              if (agreed) onAgreed();
              else document.getElementById("agree")?.focus();
            }}
          >
            {t`Agree and continue`}
          </Button>
        </div>
      </main>
    </>
  );
}

type OverProps = { slug: string; task: Task; texts: number; onAgain: () => void };

function Over({ slug, task, texts, onAgain }: OverProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  useDocumentTitle([t`Preview`, task.study.title].join(" · "));
  const done = { ...task.progress, done: texts };
  return (
    <>
      <SkipLink />
      <ExpertHeader task={{ ...task, progress: done, assignment: null }} />
      <main id="main" className={column.main} tabIndex={-1}>
        <h1>
          <Trans>That was the preview</Trans>
        </h1>
        <p>
          <Plural
            value={texts}
            one="You have seen # text as experts will see it."
            other="You have seen # texts as experts will see them."
          />{" "}
          <Trans>Nothing was saved: no place is taken, and no answer is recorded.</Trans>
        </p>
        <div className={column.buttons}>
          <Button autoFocus onClick={() => navigate(`/studies/${slug}/design`)}>
            <Trans>Back to the design</Trans>
          </Button>
          <Button variant="default" onClick={onAgain}>
            <Trans>Look at them again</Trans>
          </Button>
        </div>
      </main>
    </>
  );
}
