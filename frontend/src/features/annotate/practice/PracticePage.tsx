import { useLingui } from "@lingui/react/macro";
import { useNavigate, useParams } from "react-router";
import { Loading } from "~/components/Loading";
import { StudyNotHere } from "~/components/StudyNotHere";
import { useLanguageOf } from "~/languages/LanguageProvider";
import { useOutbox } from "~/outbox/OutboxProvider";
import { usePractised, useTask } from "../desk/calls";
import { Practice } from "./Practice";

/** The practice of a study in which the person is an expert. */
export default function PracticePage() {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const navigate = useNavigate();
  const { owner } = useOutbox();
  const task = useTask(owner, slug);
  const practised = usePractised(slug);
  const spoken = useLanguageOf(task.data?.study.language, task.data?.study.direction);

  if (task.error && !task.data) {
    return (
      <StudyNotHere
        slug={slug}
        error={task.error}
        onRetry={() => void task.refetch()}
        title={t`Practice`}
        problem={t`The study cannot be opened`}
      />
    );
  }
  if (!task.data || !spoken) return <Loading />;

  // Not awaited: if the message is lost, the practice is merely offered once more.
  const leave = () => {
    practised.mutate();
    navigate(`/studies/${slug}/annotate`, { replace: true, state: { practised: true } });
  };
  return <Practice task={task.data} onLeave={leave} />;
}
