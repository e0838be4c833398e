import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import type { Training } from "~/api/types";
import { AS_STORED } from "~/components/AsStored";
import { ErrorNotice } from "~/components/ErrorNotice";
import said from "~/components/Headline.module.css";
import { Note } from "~/components/Note";
import { inDigits, listed } from "~/languages/formats";
import { CompareMethods } from "../CompareMethods";
import { useDataset } from "../calls";
import { useTrainingAct } from "./calls";
import { StopButton } from "./StopButton";
import classes from "./Trainings.module.css";
import {
  durationInWords,
  forecastInWords,
  forecastRemarks,
  isStopping,
  isUnderWay,
  needsTooMuch,
} from "./words";

type Props = { training: Training; mayAct: boolean };

/** The state in a sentence, read out whenever it changes, and what can be done now. */
export function WhatNow({ training, mayAct }: Props) {
  const { state } = training;
  const act = useTrainingAct(training.id);
  const headline = useRef<HTMLDivElement>(null);
  const before = useRef(state);
  // The button that was pressed is gone: the keyboard goes on at the sentence that took its place.
  function keepFocus() {
    if (document.activeElement === document.body) headline.current?.focus({ preventScroll: true });
  }
  useEffect(() => {
    if (before.current !== state && document.activeElement === document.body)
      headline.current?.focus({ preventScroll: true });
    before.current = state;
  }, [state]);
  return (
    <>
      <div ref={headline} tabIndex={-1} role="status" className={said.box}>
        <p className={said.headline}>{stateInWords(training)}</p>
        {detailsInWords(training).map((sentence) => (
          <p key={sentence} className={said.details}>
            {sentence}
          </p>
        ))}
      </div>
      {state === "failed" && training.error && (
        <ErrorNotice title={t`The reason`} error={training.error} />
      )}
      {state === "ready" && training.forecast && needsTooMuch(training.forecast) && (
        <Note>
          <Trans>
            A model needs more memory than is free. Close other programs, prepare a training with a
            smaller batch size, shorter texts or LoRA, or use a machine with more memory.
          </Trans>
        </Note>
      )}
      {(state === "checking" || state === "ready") && training.notes.length > 0 && (
        <Note>
          <p>
            <Trans>Worth knowing before it starts:</Trans>
          </p>
          <ul className={classes.notes} {...AS_STORED}>
            {training.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Note>
      )}
      {mayAct && (
        <Acts
          training={training}
          isActing={act.isPending}
          onStart={() => act.mutate("start")}
          onResume={() => act.mutate("resume")}
          stop={
            <StopButton
              isActing={act.isPending}
              onStop={() => act.mutate("stop")}
              onClosed={keepFocus}
            />
          }
        />
      )}
      {act.error && <ErrorNotice error={act.error} />}
    </>
  );
}

function stateInWords(training: Training): string {
  const { state, forecast, outcome, standing, model } = training;
  const done = standing.methods.reduce((sum, method) => sum + method.done, 0);
  const all = standing.methods.reduce((sum, method) => sum + method.total, 0);
  const [trained, models] = [inDigits(done), inDigits(all)];
  switch (state) {
    case "checking":
      return standing.under_way.length > 0
        ? t`The data and the settings are being checked, and time and memory measured.`
        : t`Waiting for a worker that checks the data and measures time and memory.`;
    case "ready":
      return forecast ? forecastInWords(forecast) : t`Ready to start.`;
    case "training":
      return t`The systems are being trained.`;
    case "stopped":
      if (isStopping(training)) return t`Stopping…`;
      return all > 0
        ? t`Stopped. Models trained: ${trained} of ${models}.`
        : t`Stopped before anything was trained.`;
    case "finished":
      return outcome
        ? plural(outcome.systems, {
            one: `# system of the model ${model} was trained.`,
            other: `# systems of the model ${model} were trained.`,
          })
        : t`The training has finished.`;
    default:
      return t`The training has failed.`;
  }
}

function detailsInWords(training: Training): string[] {
  const { state, outcome, methods, parameters } = training;
  if (state === "ready") {
    return [
      ...forecastRemarks(training),
      t`You can close this page meanwhile, and stop and resume the training at any time.`,
    ];
  }
  if (state === "finished" && outcome) {
    const runs = plural(Number(parameters.runs), { one: "# run", other: "# runs" });
    const time = durationInWords(outcome.seconds);
    const names = listed(methods);
    return [t`${names}, ${runs} each, in ${time} of work.`];
  }
  if (state === "training") return [t`You can close this page meanwhile.`];
  if (state === "stopped" && !isStopping(training)) {
    return [t`Resumed, it goes on where it was. Nothing that is done is lost.`];
  }
  return [];
}

/** What the systems were trained for. */
function Next({ slug }: { slug: string }) {
  const dataset = useDataset(slug);
  return dataset.data && <CompareMethods dataset={dataset.data} isMain />;
}

type ActsProps = {
  training: Training;
  isActing: boolean;
  onStart: () => void;
  onResume: () => void;
  stop: ReactNode;
};

function Acts({ training, isActing, onStart, onResume, stop }: ActsProps) {
  const { state, dataset, standing } = training;
  return (
    <div className={classes.acts}>
      {state === "ready" && (
        <Button onClick={onStart} disabled={isActing}>
          {isActing ? t`Starting…` : t`Start training`}
        </Button>
      )}
      {isUnderWay(state) && stop}
      {(state === "stopped" || state === "failed") && (
        <Button onClick={onResume} disabled={isActing || isStopping(training)}>
          {t({ message: "Resume", context: "a training" })}
        </Button>
      )}
      {(state === "ready" || state === "failed") && (
        <Button component={Link} to={`/datasets/${dataset}/trainings/new`} variant="default">
          <Trans>Prepare another one</Trans>
        </Button>
      )}
      {standing.systems.length > 0 && (
        <>
          {state === "finished" && <Next slug={dataset} />}
          <Link to={`/datasets/${dataset}/systems`}>
            <Trans>All systems of the dataset</Trans>
          </Link>
        </>
      )}
    </div>
  );
}
