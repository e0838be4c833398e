import { useEffect, useRef } from "react";
import { Link, useParams } from "react-router";
import { ApiError } from "~/api/errors";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { TryIt } from "../TryIt";
import { AmountStep } from "./AmountStep";
import { AskedStep } from "./AskedStep";
import { ComparedStep } from "./compared/ComparedStep";
import classes from "./Setup.module.css";
import { AnalysisStep, CheckStep, DataStep, PeopleStep } from "./SmallSteps";
import { SavingContext, useSaving } from "./saving";
import { placeOf, STEPS, type Step } from "./steps";

const CONTENTS: Record<Step, () => React.ReactNode> = {
  data: DataStep,
  compared: ComparedStep,
  asked: AskedStep,
  amount: AmountStep,
  people: PeopleStep,
  analysis: AnalysisStep,
  check: CheckStep,
};

/** A draft, step by step: every step has a default, is saved as it is typed, and can be come back to. */
export function Setup({ study }: { study: Study }) {
  const { step } = useParams();
  const saving = useSaving(study);
  const place = placeOf(step);
  const { to, name } = STEPS[place] ?? STEPS[0];
  const Content = CONTENTS[to];
  const steps = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is open
  useEffect(() => {
    const open = steps.current?.querySelector<HTMLElement>("[aria-current]");
    if (steps.current && open) steps.current.scrollLeft = open.offsetLeft - 24;
  }, [to]);
  return (
    <div className={classes.setup}>
      <nav aria-label="Steps of the set-up">
        <ol ref={steps} className={classes.steps}>
          {STEPS.map((one, number) => (
            <li key={one.to}>
              <Link
                to={`/studies/${study.slug}/design/${one.to}`}
                aria-current={one.to === to ? "step" : undefined}
              >
                {number + 1}. {one.name}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <section className={classes.step} aria-labelledby="step">
        <div className={classes.head}>
          <h2 id="step">{name}</h2>
          <TryIt slug={study.slug} />
        </div>
        {saving.error && <Refused error={saving.error} problems={saving.problems} />}
        <SavingContext value={{ study, save: saving.save, problems: saving.problems }}>
          <Content key={to} />
        </SavingContext>
        <div className={classes.ends}>
          {place > 0 && (
            <Link to={`/studies/${study.slug}/design/${STEPS[place - 1]?.to}`}>
              Back: {STEPS[place - 1]?.name}
            </Link>
          )}
          <span role="status" className="soft small">
            {saving.isSaving ? "Saving…" : savedInWords(saving.savedAt)}
          </span>
          {place < STEPS.length - 1 && (
            <Link
              to={`/studies/${study.slug}/design/${STEPS[place + 1]?.to}`}
              className={classes.next}
            >
              Next: {STEPS[place + 1]?.name}
            </Link>
          )}
        </div>
      </section>
    </div>
  );
}

/** What was refused stands beside its field; what concerns the whole draft stands here. */
function Refused({ error, problems }: { error: Error; problems: Record<string, string> }) {
  if (error instanceof ApiError && error.code === "edited_meanwhile") {
    return (
      <ErrorNotice
        title="Somebody else has changed this draft meanwhile"
        error="Your last change was not saved. Load the draft again to see theirs, then change what you want."
      >
        <button type="button" className="linklike" onClick={() => location.reload()}>
          Load the draft again
        </button>
      </ErrorNotice>
    );
  }
  if (Object.keys(problems).length > 0) return null;
  return <ErrorNotice title="Your last change was not saved" error={error} />;
}

function savedInWords(at: Date | null): string {
  if (!at) return "";
  return `Saved ${at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
