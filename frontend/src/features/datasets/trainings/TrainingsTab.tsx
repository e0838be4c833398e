import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link } from "react-router";
import type { TrainingRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { moment } from "~/components/words";
import { useLoadedDataset } from "../DatasetLayout";
import { useTrainings } from "./calls";
import classes from "./Trainings.module.css";
import { methodsInWords } from "./words";

/** The dataset's trainings, newest first, and the way to a new one. */
export default function TrainingsTab() {
  const { slug } = useLoadedDataset();
  const trainings = useTrainings(slug);
  if (trainings.error) {
    return (
      <ErrorNotice
        title={t`The trainings could not be loaded`}
        error={trainings.error}
        onRetry={() => void trainings.refetch()}
      />
    );
  }
  if (!trainings.data) return <Loading />;
  const isFirst = trainings.data.length === 0;
  return (
    <Section title={t`Train systems`}>
      <p>
        {isFirst ? (
          <Trans>
            Train systems on these annotations: published methods learn from what people said, their
            disagreement included, and predict how people label each text. You can then compare the
            systems here and in a study.
          </Trans>
        ) : (
          <Trans>
            Each training makes systems from these annotations: one for each method and run.
          </Trans>
        )}
      </p>
      <div className={classes.acts}>
        <Button component={Link} to="new" className={classes.main}>
          {isFirst ? <Trans>Choose methods</Trans> : <Trans>New training</Trans>}
        </Button>
      </div>
      {!isFirst && <List rows={trainings.data} />}
    </Section>
  );
}

function List({ rows }: { rows: TrainingRow[] }) {
  return (
    <Table
      caption={t`Trainings`}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: t`Model`,
          heads: true,
          cell: ({ id, model }) => (
            <Link to={`/trainings/${id}`}>
              <bdi>{model}</bdi>
            </Link>
          ),
        },
        { name: t`State`, cell: ({ state }) => <State state={state} /> },
        { name: t`Methods`, cell: ({ methods }) => methodsInWords(methods) },
        { name: t`Runs`, numeric: true, cell: ({ parameters }) => Number(parameters.runs) },
        { name: t`Prepared`, cell: ({ created_at }) => moment(created_at) },
        { name: t`Ended`, cell: ({ finished_at }) => moment(finished_at) || t`not yet` },
      ]}
    />
  );
}
