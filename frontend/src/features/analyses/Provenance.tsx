import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useNavigate } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import folds from "~/components/Folds.module.css";
import { Facts } from "~/components/Section";
import { fieldsOf } from "~/components/schemaForm/fields";
import { moment, readable } from "~/components/words";
import { inARow, inDigits } from "~/languages/formats";
import { useAnalyses, useRerun } from "./calls";
import { Folded } from "./FigureView";
import { RunLog } from "./RunLog";
import { standingOf } from "./result";
import { addressOf } from "./subject";

/** Everything needed to repeat a run: parameters, seed, versions, its inputs, and what happened. */
export function Provenance({ run }: { run: Run }) {
  return (
    <Folded title={t`How it was computed, and how to repeat it`} className={folds.fold}>
      {() => <Made run={run} />}
    </Folded>
  );
}

function Made({ run }: { run: Run }) {
  const titleOf = useParameterTitles(run.analysis);
  const versions = Object.entries(run.result?.versions ?? {}).map(
    ([name, version]) => `${name} ${version}`,
  );
  const standing = standingOf(run.result?.plan ?? null);
  const fingerprint = run.result?.fingerprint;
  const parameters = Object.entries(run.parameters ?? {}).map(
    ([name, value]) => [titleOf(name), valueInWords(value)] as [string, string],
  );
  return (
    <>
      {run.state === "succeeded" && <Again id={run.id} />}
      <Facts
        facts={[
          [t`Started`, moment(run.started_at ?? run.created_at)],
          [t`Ended`, moment(run.finished_at) || t`not yet`],
          [t`Seed`, String(run.seed)],
          ...(standing ? [[t`Analysis plan`, standing] as [string, string]] : []),
          ...parameters,
          ...(versions.length > 0 ? [[t`Versions`, versions.join(", ")] as [string, string]] : []),
        ]}
      />
      {fingerprint && (
        <Facts
          facts={[
            [
              t`Fingerprint of the inputs (SHA-256)`,
              <code key="it" dir="ltr">
                {fingerprint}
              </code>,
            ],
          ]}
          wide
        />
      )}
      <RunLog lines={run.log} />
    </>
  );
}

/** Computes the same numbers again: they must be equal, unless the data have changed. */
function Again({ id }: { id: string }) {
  const again = useRerun(id);
  const navigate = useNavigate();
  return (
    <div>
      <Button
        variant="default"
        disabled={again.isPending}
        onClick={() =>
          again.mutate(undefined, { onSuccess: (run) => void navigate(addressOf(run)) })
        }
      >
        {again.isPending ? t`Starting…` : t`Compute again`}
      </Button>
      {again.error && <ErrorNotice title={t`The analysis was not started`} error={again.error} />}
    </div>
  );
}

/** Parameters have the same names as in the form. */
function useParameterTitles(analysis: string): (name: string) => string {
  const schema = useAnalyses().data?.find((one) => one.name === analysis)?.parameters;
  const titles = new Map(fieldsOf(schema).map((field) => [field.name, field.title]));
  return (name) => titles.get(name) ?? readable(name);
}

function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return t`not set`;
  if (typeof value === "boolean") return value ? t`Yes` : t`No`;
  if (typeof value === "number") return inDigits(value, { maximumFractionDigits: 6 });
  if (Array.isArray(value)) return inARow(value.map(valueInWords)) || t`none`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
