import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Radio, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import type { TrainingForm } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { fieldsOf, startValues } from "~/components/schemaForm/fields";
import group from "~/components/schemaForm/Group.module.css";
import { SchemaFields } from "~/components/schemaForm/SchemaFields";
import { useLoadedDataset } from "../DatasetLayout";
import { applicable, type Choices, placed, read, refusedFields, type Split } from "./asked";
import { usePrepare, useTrainingForm } from "./calls";
import { MethodChoice } from "./MethodChoice";
import { NoWorker } from "./NoWorker";
import classes from "./Trainings.module.css";
import { workInWords } from "./words";

/** What is to be trained. Nothing is trained before it has been checked and measured. */
export default function NewTrainingTab() {
  const { slug } = useLoadedDataset();
  const form = useTrainingForm(slug);
  return (
    <Section
      title={t`New training`}
      aside={
        <Link to={`/datasets/${slug}/trainings`} className="small">
          <Trans>All trainings</Trans>
        </Link>
      }
    >
      {form.error && (
        <ErrorNotice
          title={t`What can be trained could not be loaded`}
          error={form.error}
          onRetry={() => void form.refetch()}
        />
      )}
      {form.isPending && <Loading />}
      {form.data && (
        <>
          <p>{dataInWords(form.data)}</p>
          {!form.data.worker_alive && <NoWorker />}
          <Form slug={slug} form={form.data} />
        </>
      )}
    </Section>
  );
}

function dataInWords({ texts, annotators }: TrainingForm): string {
  const some = plural(texts, { one: "# text", other: "# texts" });
  const people = plural(annotators, { one: "# annotator", other: "# annotators" });
  return annotators > 0
    ? t`To learn from: ${some} labelled by ${people}.`
    : t`To learn from: ${some}. The data do not say who gave which label.`;
}

function Form({ slug, form }: { slug: string; form: TrainingForm }) {
  const fields = useMemo(() => fieldsOf(form.parameters), [form]);
  const parts = useMemo(() => placed(fields), [fields]);
  const possible = applicable(form);
  const [choices, setChoices] = useState<Choices>(() => ({
    methods: possible,
    split: form.has_given_split ? "given" : "folds",
    values: startValues(fields),
    seed: "",
  }));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const prepare = usePrepare(slug);
  const navigate = useNavigate();
  const here = useRef<HTMLFormElement>(null);
  const { methods, split, values, seed } = choices;
  const wrong = { ...refusedFields(prepare.error), ...problems };
  const set = (some: Partial<Choices>) => setChoices({ ...choices, ...some });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (prepare.isPending) return;
    const asked = read(fields, choices);
    setProblems(asked.problems);
    if (Object.keys(asked.problems).length > 0) return;
    prepare.mutate(asked.request, {
      onSuccess: ({ id }) => void navigate(`/trainings/${id}`),
    });
  }

  // Whatever was refused may be out of sight: the focus goes to the first field that is wrong.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    here.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-error] input")?.focus();
  }, [problems, prepare.error]);

  const amount = (name: string) => Math.max(0, Math.round(Number(values[name])) || 0);
  return (
    <form ref={here} onSubmit={submit} className={classes.form} noValidate>
      <MethodChoice
        methods={form.methods}
        possible={possible}
        chosen={methods}
        problem={wrong.methods}
        onChange={(chosen) => set({ methods: chosen })}
      />
      <SchemaFields
        fields={parts.main}
        values={values}
        problems={wrong}
        onChange={(next) => set({ values: next })}
      />
      <SplitChoice
        split={split}
        hasGiven={form.has_given_split}
        problem={wrong.split}
        onChange={(next) => set({ split: next })}
      />
      <SchemaFields
        fields={parts.ofSplit(split)}
        values={values}
        problems={wrong}
        onChange={(next) => set({ values: next })}
      />
      <Advanced
        isWrong={[...parts.advanced.map(({ name }) => name), "seed"].some((name) => wrong[name])}
      >
        <SchemaFields
          fields={parts.advanced}
          values={values}
          problems={wrong}
          onChange={(next) => set({ values: next })}
          defaults
        />
        <TextInput
          label={t`Seed`}
          description={t`The same seed gives the same splits and, on the same machine’s CPU, the same systems. If empty: 0.`}
          className={classes.short}
          value={seed}
          onChange={(event) => set({ seed: event.currentTarget.value })}
          error={wrong.seed}
          inputMode="numeric"
          autoComplete="off"
        />
      </Advanced>
      {prepare.error && (
        <ErrorNotice title={t`The training was not prepared`} error={prepare.error} />
      )}
      <div className={classes.acts}>
        <Button type="submit">{prepare.isPending ? t`Preparing…` : t`Check and estimate`}</Button>
        <span className="soft small">
          {workInWords(
            methods.length,
            amount("runs"),
            split === "folds" ? amount("folds") : 1,
            amount("search"),
          )}
          {". "}
          <Trans>Nothing is trained until you have seen how long it takes.</Trans>
        </span>
      </div>
    </form>
  );
}

type SplitProps = {
  split: Split;
  hasGiven: boolean;
  problem: string | undefined;
  onChange: (split: Split) => void;
};

/** Which texts are predicted: never those that a system has learnt from. */
function SplitChoice({ split, hasGiven, problem, onChange }: SplitProps) {
  return (
    <Radio.Group
      label={t`Split`}
      description={t`Systems predict texts that they have not learnt from. All methods share one split, and a text that occurs twice stays on one side.`}
      value={split}
      onChange={(next) => onChange(next as Split)}
      error={problem}
    >
      <div className={classes.choices}>
        {hasGiven && (
          <Radio
            value="given"
            label={t`As the files say`}
            description={t`Their own training, development and test texts. The test texts are predicted.`}
          />
        )}
        <Radio
          value="folds"
          label={t`Cross-validation`}
          description={t`Every text is predicted once, by a model that has learnt from other texts. Trains one model for each fold.`}
        />
        <Radio
          value="shares"
          label={t`One split, 8:1:1`}
          description={t`Of ten texts, eight for training, one for development and one for the test. Only the test texts are predicted.`}
        />
      </div>
    </Radio.Group>
  );
}

/** Folded until somebody wants to change something; it opens by itself if something in it is wrong. */
function Advanced({ isWrong, children }: { isWrong: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(false);
  return (
    <details
      className={group.group}
      open={opened || isWrong}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>
        <Trans>Advanced settings</Trans>{" "}
        <span className="soft small">
          <Trans>All have safe defaults</Trans>
        </span>
      </summary>
      <div className={classes.form}>{children}</div>
    </details>
  );
}
