import { t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { Link, useParams } from "react-router";
import { ApiError } from "~/api/errors";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { clock } from "~/languages/formats";
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

/** A draft, step by step: every step has defaults, is saved while typing, and can be revisited. */
export function Setup({ study }: { study: Study }) {
  const { t } = useLingui();
  const { step } = useParams();
  const saving = useSaving(study);
  const place = placeOf(step);
  const { to, name } = STEPS[place] ?? STEPS[0];
  const [before, after] = [STEPS[place - 1], STEPS[place + 1]];
  const previous = before && t(before.name);
  const next = after && t(after.name);
  const Content = CONTENTS[to];
  const steps = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is open
  useEffect(() => {
    const open = steps.current?.querySelector<HTMLElement>("[aria-current]");
    if (steps.current && open) steps.current.scrollLeft = open.offsetLeft - 24;
  }, [to]);
  return (
    <div className={classes.setup}>
      <nav aria-label={t`Steps of the set-up`}>
        <ol ref={steps} className={classes.steps}>
          {STEPS.map((one, number) => (
            <li key={one.to}>
              <Link
                to={`/studies/${study.slug}/design/${one.to}`}
                aria-current={one.to === to ? "step" : undefined}
              >
                {number + 1}. {t(one.name)}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <section className={classes.step} aria-labelledby="step">
        <div className={classes.head}>
          <h2 id="step">{t(name)}</h2>
          <TryIt slug={study.slug} />
        </div>
        {saving.error && <Refused error={saving.error} problems={saving.problems} />}
        <SavingContext
          value={{ study: saving.draft, save: saving.save, problems: saving.problems }}
        >
          <Content key={to} />
        </SavingContext>
        <div className={classes.ends}>
          {before && (
            <Link to={`/studies/${study.slug}/design/${before.to}`}>{t`Back: ${previous}`}</Link>
          )}
          <span role="status" className="soft small">
            {saving.isSaving ? t`Saving…` : savedInWords(saving.savedAt)}
          </span>
          {after && (
            <Link
              to={`/studies/${study.slug}/design/${after.to}`}
              className={classes.next}
            >{t`Next: ${next}`}</Link>
          )}
        </div>
      </section>
    </div>
  );
}

/** Refusals are shown beside their field; those about the whole draft are shown here. */
function Refused({ error, problems }: { error: Error; problems: Record<string, string> }) {
  const { t } = useLingui();
  if (error instanceof ApiError && error.code === "edited_meanwhile") {
    return (
      <ErrorNotice
        title={t`Somebody else has changed this draft in the meantime`}
        error={t`Your last change was not saved. Reload the draft to see the other changes, then make yours again.`}
      >
        <button type="button" className="linklike" onClick={() => location.reload()}>
          <Trans>Reload the draft</Trans>
        </button>
      </ErrorNotice>
    );
  }
  if (Object.keys(problems).length > 0) return null;
  return <ErrorNotice title={t`Your last change was not saved`} error={error} />;
}

function savedInWords(at: Date | null): string {
  if (!at) return "";
  const time = clock(at);
  return say`Saved ${time}`;
}
