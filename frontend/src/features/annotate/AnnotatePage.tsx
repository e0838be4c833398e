import { Trans, useLingui } from "@lingui/react/macro";
import { useCallback, useEffect, useState } from "react";
import { useParams } from "react-router";
import { ApiError } from "~/api/errors";
import type { Task } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { fetchLater, later } from "~/components/later";
import { useLanguageOf } from "~/languages/LanguageProvider";
import { useOutbox, useTabClaim } from "~/outbox/OutboxProvider";
import { Skipped } from "./answering/Skipped";
import { Steps } from "./answering/Steps";
import { useLastAnswered } from "./desk/calls";
import { useDesk } from "./desk/useDesk";
import { ExpertHeader } from "./frame/ExpertFrame";
import { Banners } from "./trouble/Banners";
import { Elsewhere } from "./trouble/Elsewhere";
import { Held } from "./trouble/Held";
import { useWelcomed } from "./welcome/useWelcomed";
import { Welcome } from "./welcome/Welcome";

const ChangeLast = later(
  () => import("./answering/ChangeLast").then((part) => part.ChangeLast),
  <Loading />,
);
const Finished = later(
  () => import("./finished/Finished").then((part) => part.Finished),
  <Loading />,
);
const StudyNotHere = later(
  () => import("~/components/StudyNotHere").then((part) => part.StudyNotHere),
  <Loading />,
);
const AskedFirst = later(
  () => import("./welcome/AskedFirst").then((part) => part.AskedFirst),
  <Loading />,
);

/** The expert's page, active in one tab at a time. */
export function AnnotatePage() {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const { owner } = useOutbox();
  const [claim, take] = useTabClaim(`hlv:study:${owner}:${slug}`);
  if (claim === "asking") return <Loading what={t`Loading your text…`} />;
  if (claim === "elsewhere") return <Elsewhere onTake={take} />;
  return <Study key={slug} slug={slug} />;
}

/** Whatever comes next, according to the server and to what is waiting on this device. */
function Study({ slug }: { slug: string }) {
  const { t } = useLingui();
  const desk = useDesk(slug);
  const { screen, task, snapshot } = desk;
  const { welcomed, welcome } = useWelcomed(slug);
  const last = useLastAnswered(slug);
  const [changing, setChanging] = useState<Task | null>(null);
  const stopChanging = useCallback(() => setChanging(null), []);
  const isReadable = screen.show !== "fetching";
  useEffect(() => {
    if (isReadable) fetchLater();
  }, [isReadable]);
  const inItsLanguage = useLanguageOf(task.data?.study.language, task.data?.study.direction);

  // An expert who was removed has no text any more, even one that is still in this page's memory.
  const isGone = task.error instanceof ApiError && task.error.status === 404;
  if (task.error && (isGone || !task.data)) {
    return (
      <StudyNotHere
        slug={slug}
        error={task.error}
        onRetry={() => void task.refetch()}
        title={t`Your study`}
        problem={t`The study cannot be opened`}
        banner={<Banners />}
      />
    );
  }
  if (screen.show === "fetching" || !inItsLanguage) return <Loading what={t`Loading your text…`} />;
  if (changing) return <ChangeLast desk={desk} task={changing} slug={slug} onDone={stopChanging} />;

  const { study, progress, finished } = screen.task;
  const banner = (
    <>
      <Banners />
      {desk.skipped && (
        <Skipped what={desk.skipped} isNextHere={screen.show === "step" && !screen.isBusy} />
      )}
      {last.error && (
        <ErrorNotice title={t`Your last answer cannot be changed now`} error={last.error} />
      )}
    </>
  );
  const mayChange = progress.done > 0 && finished !== "paused" && finished !== "closed";
  const links = mayChange && (
    <button
      type="button"
      className="linklike"
      disabled={snapshot.waiting.length > 0 || last.isPending}
      onClick={() => last.mutate(undefined, { onSuccess: setChanging })}
    >
      <Trans>Change my last answer</Trans>
    </button>
  );

  if (screen.show === "finished" && finished === "asked_first" && !screen.waits && !screen.lost) {
    return <AskedFirst task={screen.task} onDone={() => void task.refetch()} />;
  }
  if (screen.show === "finished") {
    return (
      <Finished
        task={screen.task}
        waits={screen.waits}
        isLost={screen.lost}
        banner={banner}
        links={links}
        onLookAgain={() => void task.refetch()}
      />
    );
  }
  const header = <ExpertHeader task={screen.task} />;
  if (screen.show === "held") {
    return <Held study={study} number={screen.number} frame={{ header, banner, links }} />;
  }
  const { assignment, number, isBusy } = screen;
  const isFresh = progress.done === 0 && number === 1 && assignment.step === 1;
  if (isFresh && !screen.task.practised && !welcomed) {
    return <Welcome task={screen.task} onBegin={welcome} />;
  }
  return (
    <Steps
      key={`${assignment.token}-${assignment.step}`}
      {...{ desk, slug, task: screen.task, assignment, number, isBusy, header, banner, links }}
    />
  );
}
