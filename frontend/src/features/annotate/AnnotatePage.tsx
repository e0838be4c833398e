import { useDirection } from "@mantine/core";
import { useEffect } from "react";
import { useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useTask } from "./calls";
import { Finished } from "./Finished";
import { LabelStep } from "./LabelStep";
import { PreferenceStep } from "./PreferenceStep";
import { useWelcome, Welcome } from "./Welcome";

/** The expert's page: whatever the server says comes next. */
export function AnnotatePage() {
  const { slug = "" } = useParams();
  const task = useTask(slug);
  const [welcomed, welcome] = useWelcome(slug);
  usePageDirection(task.data?.study.direction);

  if (task.error && !task.data) {
    return (
      <Page title="Your study">
        <ErrorNotice
          title="The study cannot be opened"
          error={task.error}
          onRetry={() => void task.refetch()}
        />
      </Page>
    );
  }
  if (!task.data) return <Loading what="Fetching your text…" />;

  const { study, assignment, progress } = task.data;
  if (!assignment) {
    return <Finished task={task.data} onLookAgain={() => void task.refetch()} />;
  }
  const isFresh = progress.done === 0 && assignment.step === 1;
  if (isFresh && !welcomed && study.instructions_html.trim() !== "") {
    return <Welcome task={task.data} onBegin={welcome} />;
  }
  const Step = assignment.step === 1 ? LabelStep : PreferenceStep;
  return (
    <Step
      key={`${assignment.token}-${assignment.step}`}
      slug={slug}
      task={task.data}
      assignment={assignment}
    />
  );
}

/** The whole page follows the study's direction, and goes back when the expert leaves. */
function usePageDirection(direction: "ltr" | "rtl" | undefined) {
  const { setDirection } = useDirection();
  useEffect(() => {
    if (!direction) return;
    setDirection(direction);
    return () => setDirection("ltr");
  }, [direction, setDirection]);
}
